#include "command.h"

static void print_help(const command *c, const pen_option *options)
{
    printf("usage: pen-graph %s %s\n%s.\n", c->name, c->words, c->summary);
    if (c->output) printf("  -o FILE  %s\n", c->output);
    pen_options_print(stdout, &(pen_option_group){ "options", options }, 1);
}

pen_status command_words(const command *c, int argc, char **argv, const pen_option *options, int least, int most,
                         const char **words, int *count, bool *help)
{
    *help = false;
    *count = 0;
    bool all_words = false;
    int given = 1; /* argv[0 .. given-1]: the name, and the options */
    for (int i = 1; i < argc; i++) {
        bool option = !all_words && argv[i][0] == '-' && argv[i][1] != '\0';
        if (option && strcmp(argv[i], "--") == 0) {
            all_words = true;
        } else if (option && strcmp(argv[i], "--help") == 0) {
            *help = true;
        } else if (option) {
            argv[given++] = argv[i];
        } else if (*count < most) {
            words[(*count)++] = argv[i];
        } else {
            return pen_fail(PEN_ERR_INPUT, "unexpected argument %s: usage: pen-graph %s %s", argv[i], c->name, c->words);
        }
    }
    if (*help) {
        print_help(c, options);
        return PEN_OK;
    }
    PEN_TRY(pen_options_parse(given, argv, &(pen_option_group){ "options", options }, 1));
    if (*count < least) return pen_fail(PEN_ERR_INPUT, "usage: pen-graph %s %s, see --help", c->name, c->words);
    return PEN_OK;
}
