/* The points of a search as a chart, SVG 1.1: see show.h.  Across goes the number of the point, or of a search over one tunable
 * its position in the domain; upwards the cost, by its logarithm.  A line joins the best so far, or the points of a sweep. */
#include "frontends/tools/tune/show.h"

#include "frontends/tools/output.h"

#include <math.h>

enum { WIDTH = 840, HEIGHT = 480, LEFT = 90, RIGHT = 20, TOP = 50, BOTTOM = 60 };

typedef struct chart {
    const search *s;
    string out;
    double least, most; /* logarithms of costs */
    uint64_t across;    /* positions, less one */
    bool sweep;         /* over one tunable, of which all is there */
} chart;

/* Text in XML. */
static void add_text(string *out, const char *s)
{
    for (; *s; s++)
        switch (*s) {
        case '<': string_addf(out, "&lt;"); break;
        case '>': string_addf(out, "&gt;"); break;
        case '&': string_addf(out, "&amp;"); break;
        case '"': string_addf(out, "&quot;"); break;
        default: string_add(out, (unsigned char)*s < 32 ? " " : s, 1);
        }
}

static void add_label(string *out, double x, double y, const char *anchor, const char *text)
{
    string_addf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    add_text(out, text);
    string_addf(out, "</text>\n");
}

static double level(double cost)
{
    return log10(cost > 1 ? cost : 1);
}

/* Where there is something to be seen; a single level gets room around it. */
static void measure_all(chart *c)
{
    const search *s = c->s;
    bool any = false;
    for (size_t i = 0; i < s->npoints; i++) {
        if (s->points[i].state == POINT_FAILED)
            continue;
        double y = level(s->points[i].cost);
        c->least = any && c->least < y ? c->least : y;
        c->most = any && c->most > y ? c->most : y;
        any = true;
    }
    if (c->most - c->least < 0.01) {
        c->least -= 0.1;
        c->most += 0.1;
    }
    c->sweep = s->knobs.n == 1 && s->knobs.at[0].count < s->npoints + 1;
    c->across = c->sweep ? s->knobs.at[0].count - 1 : s->npoints - 1;
}

/* False: it has no place in a sweep. */
static bool place(const chart *c, size_t i, double *x, double *y)
{
    const point *p = &c->s->points[i];
    uint64_t at = c->sweep ? p->setting[0] : i;
    if (at == AS_IT_IS)
        return false;
    *x = LEFT + (WIDTH - LEFT - RIGHT) * (c->across ? (double)at / (double)c->across : 0.5);
    *y = HEIGHT - BOTTOM;
    if (p->state != POINT_FAILED)
        *y -= (HEIGHT - TOP - BOTTOM) * (level(p->cost) - c->least) / (c->most - c->least);
    return true;
}

static void add_frame(chart *c, const subject *of)
{
    string line = {0};
    string_addf(&c->out, "<path d=\"M%d,%d V%d H%d\" fill=\"none\" stroke=\"#888\"/>\n", LEFT, TOP,
                HEIGHT - BOTTOM, WIDTH - RIGHT);
    for (int i = 0; i <= 4; i++) {
        string tick = {0};
        double y = HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * i / 4.0;
        string_addf(&tick, "%.4g", pow(10, c->least + (c->most - c->least) * i / 4.0));
        add_label(&c->out, LEFT - 8, y + 4, "end", tick.at);
        string_free(&tick);
    }
    string_addf(&line, "%s on %s, %s", of->key.entry, of->key.device, of->unit);
    add_label(&c->out, LEFT, 20, "start", line.at);
    string_free(&line);
}

static void add_numbers(chart *c)
{
    const knob *k = &c->s->knobs.at[0];
    for (uint64_t i = 0; c->sweep && i < k->count; i += k->count / 16 + 1) {
        string n = {0};
        string_addf(&n, "%u", fcl_domain_at(k->domain, i));
        add_label(&c->out,
                  LEFT + (WIDTH - LEFT - RIGHT) * (c->across ? (double)i / (double)c->across : 0.5),
                  HEIGHT - BOTTOM + 18, "middle", n.at);
        string_free(&n);
    }
    add_label(&c->out, (WIDTH + LEFT) / 2.0, HEIGHT - 16, "middle",
              c->sweep ? k->name : "points, in the order in which they were tried");
}

/* The points of a sweep, or from the best so far to the next better one. */
static void add_line(chart *c)
{
    const search *s = c->s;
    double x, y, best = 0;
    bool any = false;
    string_addf(&c->out, "<polyline fill=\"none\" stroke=\"#07a\" points=\"");
    for (size_t i = 0; i < s->npoints; i++) {
        const point *p = &s->points[i];
        if (p->state != POINT_OK || !place(c, i, &x, &y) || (!c->sweep && any && p->cost >= best))
            continue;
        string_addf(&c->out, "%.1f,%.1f ", x, y);
        best = p->cost;
        any = true;
    }
    string_addf(&c->out, "\"/>\n");
}

static void add_points(chart *c)
{
    static const char *const colors[] = {
        [POINT_OK] = "#07a", [POINT_FAILED] = "#c33", [POINT_DIFFERS] = "#e90"};
    double x, y;
    for (size_t i = 0; i < c->s->npoints; i++) {
        const point *p = &c->s->points[i];
        if (!place(c, i, &x, &y))
            continue;
        string what = {0};
        knobs_text(&c->s->knobs, p->setting, &what);
        string_addf(&c->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"%s\"><title>", x, y,
                    i == c->s->best ? 6 : 3, colors[p->state]);
        add_text(&c->out, what.len ? what.at : "the usual numbers");
        if (p->state == POINT_OK)
            string_addf(&c->out, ": %g", p->cost);
        else
            add_text(&c->out, p->state == POINT_FAILED ? ": failed" : ": differs");
        string_addf(&c->out, "</title></circle>\n");
        string_free(&what);
    }
}

static void add_best(chart *c)
{
    string text = {0};
    if (c->s->best >= c->s->npoints)
        return;
    const point *p = &c->s->points[c->s->best];
    string_addf(&text, "best: %g with ", p->cost);
    string list = {0};
    knobs_text(&c->s->knobs, p->setting, &list);
    string_addf(&text, "%s", list.len ? list.at : "the usual numbers");
    add_label(&c->out, LEFT, 38, "start", text.at);
    string_free(&list);
    string_free(&text);
}

bool show_svg(report *r, const char *path, const search *s, const subject *of)
{
    chart c = {.s = s};
    measure_all(&c);
    string_addf(&c.out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
                "font-family=\"sans-serif\" font-size=\"12\">\n"
                "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
                WIDTH, HEIGHT, WIDTH, HEIGHT);
    add_frame(&c, of);
    add_numbers(&c);
    add_line(&c);
    add_points(&c);
    add_best(&c);
    string_addf(&c.out, "</svg>\n");
    bool ok = output_write(r, path, c.out.at, c.out.len);
    string_free(&c.out);
    return ok;
}
