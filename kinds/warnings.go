//go:build !js

package kinds

// warnings are the warnings of all resources that have any. The engines for browsers are built
// without them, which keeps them within their budgets (web/budget.json).
var warnings = [...]warning{
	{&endpointsStrategy, warnEndpoints, nil},
	{&nodeStrategy, warnNode, nil},
	{&persistentVolumeClaimStrategy, warnPersistentVolumeClaim, nil},
	{&persistentVolumeStrategy, warnPersistentVolume, nil},
	{&podStrategy, warnPod, warnPodStatus},
	{&podTemplateStrategy, warnPodTemplate, nil},
	{&replicationControllerStrategy, warnReplicationController, nil},
	{&resourceQuotaStrategy, warnResourceQuota, nil},
	{&secretStrategy, warnSecret, nil},
	{&serviceAccountStrategy, warnServiceAccount, nil},
	{&serviceStrategy, warnService, warnBalancer},
	{&mutatingAdmissionPolicyStrategy, warnStaticName, nil},
	{&mutatingAdmissionPolicyBindingStrategy, warnStaticName, nil},
	{&mutatingWebhookConfigurationStrategy, warnWebhooks, nil},
	{&validatingAdmissionPolicyStrategy, warnStaticName, warnStaticStatus},
	{&validatingAdmissionPolicyBindingStrategy, warnStaticName, nil},
	{&validatingWebhookConfigurationStrategy, warnWebhooks, nil},
	{&customResourceDefinitionStrategy, warnFormats, nil},
	{&daemonSetStrategy, warnDaemonSet, nil},
	{&deploymentStrategy, warnDeployment, nil},
	{&replicaSetStrategy, warnDeployment, nil},
	{&statefulSetStrategy, warnStatefulSet, nil},
	{&cronJobStrategy, warnCronJob, nil},
	{&jobStrategy, warnJob, nil},
	{&endpointSliceStrategy, warnEndpointSlice, nil},
	{&ingressStrategy, warnIngress, warnBalancer},
	{&networkPolicyStrategy, warnNetworkPolicy, nil},
	{&runtimeClassStrategy, warnRuntimeClass, nil},
	{&resourceSliceStrategy, warnResourceSlice, nil},
	{&csiDriverStrategy, warnCSIDriver, nil},
	{&csiStorageCapacityStrategy, warnCSIStorageCapacity, nil},
	{&storageClassStrategy, warnStorageClass, nil},
}
