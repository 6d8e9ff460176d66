//! The public key of a bilinear accumulator.

use alloc::sync::Arc;

use super::parameters::{Parameters, SCHEME};
use crate::{element::AccumulatorId, scheme::PublicKey};

/// The public key of a bilinear accumulator: [`Parameters`] and the label that names the
/// accumulator. Cheap to clone.
#[derive(Clone, Debug)]
pub struct BilinearPublicKey {
    parameters: Arc<Parameters>,
    id: AccumulatorId,
}

impl BilinearPublicKey {
    /// Creates the key of the accumulator called `label` over these parameters.
    pub fn new(parameters: Arc<Parameters>, label: &[u8]) -> Self {
        let id = AccumulatorId::derive(SCHEME, &parameters.fingerprint(), label);
        Self { parameters, id }
    }

    /// The parameters of the key: the published powers of the secret.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Returns a shared handle of the parameters.
    pub fn shared_parameters(&self) -> Arc<Parameters> {
        Arc::clone(&self.parameters)
    }
}

impl PublicKey for BilinearPublicKey {
    fn id(&self) -> AccumulatorId {
        self.id
    }

    fn with_label(&self, label: &[u8]) -> Self {
        Self::new(Arc::clone(&self.parameters), label)
    }

    fn capacity(&self) -> Option<usize> {
        Some(self.parameters.capacity())
    }
}
