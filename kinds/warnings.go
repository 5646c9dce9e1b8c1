//go:build !js

package kinds

// warnings are the warnings of all resources that have any. The engines for browsers are built
// without them, which keeps them within their budgets (web/budget.json).
var warnings = [...]warning{
	{&endpointsStrategy, warnEndpoints, nil, nil},
	{&nodeStrategy, warnNode, nil, nil},
	{&persistentVolumeClaimStrategy, warnPersistentVolumeClaim, nil, nil},
	{&persistentVolumeStrategy, warnPersistentVolume, nil, nil},
	{strategy: &podStrategy, preparation: warnAppArmor, object: warnPod, status: warnPodStatus},
	{&podTemplateStrategy, warnPodTemplate, nil, nil},
	{&replicationControllerStrategy, warnReplicationController, nil, nil},
	{&resourceQuotaStrategy, warnResourceQuota, nil, nil},
	{&secretStrategy, warnSecret, nil, nil},
	{&serviceAccountStrategy, warnServiceAccount, nil, nil},
	{&serviceStrategy, warnService, warnBalancer, nil},
	{&mutatingAdmissionPolicyStrategy, warnStaticName, nil, nil},
	{&mutatingAdmissionPolicyBindingStrategy, warnStaticName, nil, nil},
	{&mutatingWebhookConfigurationStrategy, warnWebhooks, nil, nil},
	{&validatingAdmissionPolicyStrategy, warnStaticName, warnStaticStatus, nil},
	{&validatingAdmissionPolicyBindingStrategy, warnStaticName, nil, nil},
	{&validatingWebhookConfigurationStrategy, warnWebhooks, nil, nil},
	{&customResourceDefinitionStrategy, warnFormats, nil, nil},
	{&daemonSetStrategy, warnDaemonSet, nil, nil},
	{&deploymentStrategy, warnDeployment, nil, nil},
	{&replicaSetStrategy, warnDeployment, nil, nil},
	{&statefulSetStrategy, warnStatefulSet, nil, nil},
	{&cronJobStrategy, warnCronJob, nil, nil},
	{&jobStrategy, warnJob, nil, nil},
	{&endpointSliceStrategy, warnEndpointSlice, nil, nil},
	{&ingressStrategy, warnIngress, warnBalancer, nil},
	{&networkPolicyStrategy, warnNetworkPolicy, nil, nil},
	{&runtimeClassStrategy, warnRuntimeClass, nil, nil},
	{&resourceSliceStrategy, warnResourceSlice, nil, nil},
	{&csiDriverStrategy, warnCSIDriver, nil, nil},
	{&csiStorageCapacityStrategy, warnCSIStorageCapacity, nil, nil},
	{&storageClassStrategy, warnStorageClass, nil, nil},
}
