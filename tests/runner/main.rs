//! What a run leaves on the disk, however it ends: the real program on a real database.

mod durability;
mod endings;
mod leavings;
mod refusals;
mod running;
mod servers;
mod shards;
mod site;
