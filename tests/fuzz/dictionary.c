/* Prints the words of the language as a dictionary for libFuzzer. */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>

int main(void)
{
    for (size_t i = 0; i < fuzz_word_count; i++)
        printf("\"%s\"\n", fuzz_words[i].text);
    return 0;
}
