//! How long a run will take: from what was seen, else from what the workload is told to do.
