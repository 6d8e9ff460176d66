//! Checks the balance of a tree that was read from untrusted storage.

use crate::{
    balancing::{BalancingScheme as _, NodeStore},
    id::NodeId,
};

/// Whether the tree below `root` has `population` entries and satisfies the rules of its balancing
/// scheme. The order of keys must already be checked.
pub(crate) fn is_balanced<S: NodeStore>(
    store: &S,
    root: Option<NodeId>,
    population: usize,
) -> bool {
    enum Task {
        Enter(NodeId),
        Leave(NodeId),
    }
    let Some(root) = root else {
        return population == 0;
    };
    let mut leaves = 0_usize;
    let mut shapes: Vec<u32> = Vec::new();
    let mut tasks = vec![Task::Enter(root)];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Enter(node) if node.is_inner() => {
                let children = store.children(node);
                tasks.push(Task::Leave(node));
                tasks.push(Task::Enter(children.right()));
                tasks.push(Task::Enter(children.left()));
            }
            Task::Enter(_) => {
                leaves += 1;
                shapes.push(0);
            }
            Task::Leave(node) => {
                let (Some(right), Some(left)) = (shapes.pop(), shapes.pop()) else {
                    return false;
                };
                match S::Scheme::shape(store, node, [left, right]) {
                    Some(shape) => shapes.push(shape),
                    None => return false,
                }
            }
        }
    }
    leaves == population && S::Scheme::is_root(store, root)
}
