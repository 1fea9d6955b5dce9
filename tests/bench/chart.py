#!/usr/bin/env python3
"""chart.py BENCH.json CHART.svg: the ratios of a benchmark as bars; above 1, FCL is faster."""
import json
import sys

PEERS = [("hand_ratio", "hand-written OpenCL C", "#3b6ea5"),
         ("vendor_ratio", "CUDA, CUB, cuBLAS", "#7fb069"),
         ("copy_ratio", "copy of the same traffic", "#b8b8b8")]
LEFT, RIGHT, BAR, GAP, TOP, WIDTH = 190, 70, 9, 9, 64, 860
MOST = 2.0


def size_name(n):
    power = n.bit_length() - 1
    return f"2^{power}" if n == 1 << power else f"{n:,}"


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


class Chart:
    def __init__(self):
        self.parts = []
        self.y = TOP

    def text(self, x, y, text, anchor="start", size=12, colour="#222"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}">'
                          f"{escape(text)}</text>")

    def rect(self, x, y, width, height, colour):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"/>')

    def line(self, x, y1, y2, colour, width=1):
        self.parts.append(f'<line x1="{x:.1f}" y1="{y1}" x2="{x:.1f}" y2="{y2}" stroke="{colour}" stroke-width="{width}"/>')


def place(ratio):
    return LEFT + (WIDTH - LEFT - RIGHT) * min(ratio, MOST) / MOST


def draw_result(chart, result):
    bars = [(result[key], colour) for key, _, colour in PEERS if key in result]
    label = f'{result["name"]}  {size_name(int(result["n"]))}'
    chart.text(LEFT - 8, chart.y + len(bars) * BAR / 2 + 4, label, "end")
    for ratio, colour in bars:
        chart.rect(LEFT, chart.y, place(ratio) - LEFT, BAR - 1, colour)
        chart.text(place(ratio) + 4, chart.y + BAR - 2, f"{ratio:.2f}", size=9)
        chart.y += BAR
    chart.y += GAP


def draw(bench):
    chart = Chart()
    chart.text(LEFT, 20, f'FCL on {bench["device"]}: time of each peer divided by that of FCL', size=14)
    for i, (_, name, colour) in enumerate(PEERS):
        chart.rect(LEFT + i * 190, 32, 10, 10, colour)
        chart.text(LEFT + i * 190 + 14, 41, name, size=11)
    for result in bench["results"]:
        if "fcl_ms" in result:
            draw_result(chart, result)
    grid = Chart()
    for step in range(0, 9):
        ratio = step * MOST / 8
        grid.line(place(ratio), TOP - 6, chart.y, "#222" if ratio == 1 else "#ddd")
        grid.text(place(ratio), chart.y + 14, f"{ratio:g}", "middle", 10)
    height = chart.y + 24
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
                      f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif">',
                      f'<rect width="{WIDTH}" height="{height}" fill="white"/>'] + grid.parts + chart.parts + ["</svg>", ""])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as f:
        svg = draw(json.load(f))
    with open(sys.argv[2], "w", encoding="utf-8") as f:
        f.write(svg)


main()
