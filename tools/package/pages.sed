# Installed pages name what is installed: pen-hex, not build/release/bin/hex; examples/heat.cpp; flags by pkg-config.
s@build/release/bin/examples/@@g
s@build/release/bin/\(pen-\|when_bench\)@\1@g
s@build/release/bin/@pen-@g
s@\(tests/consumer/science\|tests/consumer\|apps/examples\)/\([a-z]\)@examples/\2@g
s@runtime/include/penumbra@penumbra@g
s@`tests/consumer`@`examples`@g
s@`runtime/include` has @The package has @g
s@-I runtime/include@$(pkg-config --cflags penumbra)@
s@-L build/release .*@$(pkg-config --libs penumbra)@
