# Ranks in one process, from a seed (support/one_process/one_process.h).
penumbra_one_process(heat)
penumbra_one_process(hex)
