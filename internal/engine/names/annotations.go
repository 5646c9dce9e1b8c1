package names

// BetaStorageClass is the annotation of claims and volumes that the field storageClassName has replaced.
const BetaStorageClass = "volume.beta.kubernetes.io/storage-class"
