//go:build !js

package kinds

// warnings are the warnings of all resources that have any. The engines for browsers are built
// without them, which keeps them within their budgets (web/budget.json).
var warnings = [...]warning{
	{strategy: &endpointsStrategy, object: warnEndpoints},
	{strategy: &nodeStrategy, object: warnNode},
	{strategy: &persistentVolumeClaimStrategy, object: warnPersistentVolumeClaim},
	{strategy: &persistentVolumeStrategy, object: warnPersistentVolume},
	{strategy: &podStrategy, object: warnPod, status: warnPodStatus, preparation: warnAppArmor},
	{strategy: &podTemplateStrategy, object: warnPodTemplate},
	{strategy: &replicationControllerStrategy, object: warnReplicationController},
	{strategy: &resourceQuotaStrategy, object: warnResourceQuota},
	{strategy: &secretStrategy, object: warnSecret},
	{strategy: &serviceAccountStrategy, object: warnServiceAccount},
	{strategy: &serviceStrategy, object: warnService, status: warnBalancer},
	{strategy: &mutatingAdmissionPolicyStrategy, object: warnStaticName},
	{strategy: &mutatingAdmissionPolicyBindingStrategy, object: warnStaticName},
	{strategy: &mutatingWebhookConfigurationStrategy, object: warnWebhooks},
	{strategy: &validatingAdmissionPolicyStrategy, object: warnStaticName, status: warnStaticStatus},
	{strategy: &validatingAdmissionPolicyBindingStrategy, object: warnStaticName},
	{strategy: &validatingWebhookConfigurationStrategy, object: warnWebhooks},
	{strategy: &customResourceDefinitionStrategy, object: warnFormats},
	{strategy: &daemonSetStrategy, object: warnDaemonSet},
	{strategy: &deploymentStrategy, object: warnDeployment},
	{strategy: &replicaSetStrategy, object: warnDeployment},
	{strategy: &statefulSetStrategy, object: warnStatefulSet},
	{strategy: &cronJobStrategy, object: warnCronJob},
	{strategy: &jobStrategy, object: warnJob},
	{strategy: &endpointSliceStrategy, object: warnEndpointSlice},
	{strategy: &ingressStrategy, object: warnIngress, status: warnBalancer},
	{strategy: &networkPolicyStrategy, object: warnNetworkPolicy},
	{strategy: &runtimeClassStrategy, object: warnRuntimeClass},
	{strategy: &resourceSliceStrategy, object: warnResourceSlice},
	{strategy: &csiDriverStrategy, object: warnCSIDriver},
	{strategy: &csiStorageCapacityStrategy, object: warnCSIStorageCapacity},
	{strategy: &storageClassStrategy, object: warnStorageClass},
}
