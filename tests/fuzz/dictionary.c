/* Prints the words of the languages as a dictionary for libFuzzer. */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>

static void print_words(const fuzz_word *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (*words[i].text)
            printf("\"%s\"\n", words[i].text);
}

int main(void)
{
    print_words(fuzz_words, fuzz_word_count);
    print_words(fuzz_kernel_words, fuzz_kernel_word_count);
    return 0;
}
