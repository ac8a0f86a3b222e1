# shellcheck shell=sh
# launch.sh - sourced by what launches tests: root may run MPI, and there may be more ranks than cores. Every launcher
# reads its own names: Open MPI 4's, those with OMPI_MCA; Open MPI 5's, which is PRRTE, those with PRTE_MCA.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe

# As many ranks as there are slots, as users have it.
only_slots() { unset OMPI_MCA_rmaps_base_oversubscribe PRTE_MCA_rmaps_default_mapping_policy; }
