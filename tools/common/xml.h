/* xml.h - text for XML 1.0. All Local. */
#ifndef PEN_XML_H
#define PEN_XML_H

#include "tools/common/writer.h"

/* Write a text between tags or in an attribute's quotes. What is no UTF-8, or a character that XML does not allow,
 * becomes U+FFFD. */
void pen_xml_text(writer *out, const char *text);

#endif
