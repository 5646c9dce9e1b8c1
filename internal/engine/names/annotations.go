package names

// BetaStorageClass is the annotation of claims and volumes that the field storageClassName has replaced.
const BetaStorageClass = "volume.beta.kubernetes.io/storage-class"

// MirrorPod is the annotation of pods that represent those that a kubelet runs from files.
const MirrorPod = "kubernetes.io/config.mirror"
