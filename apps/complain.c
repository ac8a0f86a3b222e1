#include "apps/complain.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *pen_complain(const char *format, ...)
{
    static char message[1024];
    char text[sizeof message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    memcpy(message, text, sizeof message);
    return message;
}
