package main

// Reasons for skipping a test or for its expected failure.
const (
	ownStorage = "reads or writes etcd beside the server"
	startsWith = "needs a server that is started with flags or feature gates of its own"
	ownUsers   = "needs users that may do less than everything"
	ownVersion = "expects the version that the test was compiled with"
	noCBOR     = "CBOR is not served"
	ownGates   = "switches feature gates of the server in the test's process"
	ownPlugin  = "adds an admission plugin of the test to the server"
	ownConfig  = "configures an admission plugin by a file"
	alphaKinds = "needs kinds of alpha or beta versions, which are not served"
	ownLookup  = "sets how services are looked up in the server's process"
	brokenJSON = "malformed JSON in a protobuf body is refused, where kube-apiserver closes the stream"
	ownAccount = "creates the service account default, which a controller of the server creates"
	kinder     = "an apply at another version than the manager's entry is accepted where kube-apiserver misses a field of the schema: open"
	reviews    = "TokenReview and SubjectAccessReview know no service accounts"
	existing   = "envtest has a kubeconfig only for a server that it started itself"
	notCached  = "runs a program of the module cache, which is not executable there"
)

const (
	kubernetesVersion        = "v1.36.3"
	controllerRuntimeVersion = "v0.24.1"
	controllerRuntime        = "sigs.k8s.io/controller-runtime"
	// filters is the common prefix of the specs of pkg/metrics/filters.
	filters = "manger.Manager Start should start serving metrics with https and authn/authz [It] "
)

// suites are the suites to run, in this order.
var suites = []*suite{
	{name: "kubernetes apply", ownServers: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/apiserver/apply",
		except: map[string]string{"TestApplyCRDNoSchema": ownStorage, "TestApplyCRDUnhandledSchema": ownStorage, "TestUpdateStatusWithOldVersion": ownStorage,
			"TestCreateOnApplyFailsWithForbidden": ownUsers},
		apart: map[string]string{"TestApplyStatusWithCBOR": noCBOR}},
	{name: "kubernetes dryrun", ownServers: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/dryrun"},
	{name: "kubernetes client", ownServers: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/client",
		except: map[string]string{"TestCertRotation": ownUsers, "TestCertRotationContinuousRequests": ownUsers, "TestClient": ownVersion,
			"TestExecPluginViaClient": notCached, "TestExecPluginViaInformer": notCached, "TestExecPluginRotationViaInformer": notCached},
		apart: map[string]string{"TestClientCBOREnablement": noCBOR, "TestCBORWithTypedClient": noCBOR, "TestDynamicClientWatchWithCBOR": noCBOR,
			"TestDynamicClientCBOREnablement": noCBOR}},
	{name: "kubernetes apiextensions", ownServers: true, anyNamespace: true, module: kubernetes, version: kubernetesVersion, pkg: "k8s.io/apiextensions-apiserver/test/integration",
		except: map[string]string{"TestCBORStorageEnablement": startsWith, "TestInvalidObjectMetaInStorage": ownStorage, "TestPruningFromStorage": ownStorage,
			"TestCustomResourceDefaultingOfMetaFields": ownStorage, "TestEtcdStorage": ownStorage, "TestNonStructuralSchemaConditionUpdate": ownStorage,
			"TestNonStructuralSchemaConditionForCRDV1Beta1MigratedData": ownStorage, "TestFieldSelectorDropFields": startsWith,
			"TestFieldSelectorDisablement": startsWith, "TestRatchetingDropFields": startsWith},
		apart: map[string]string{"TestCBORServingEnablement": noCBOR}},
	{name: "kubernetes deployment", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/deployment"},
	{name: "kubernetes replicaset", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/replicaset"},
	{name: "kubernetes statefulset", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/statefulset",
		except: map[string]string{"TestStatefulSetStatusWithPodFail": ownPlugin}},
	{name: "kubernetes daemonset", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/daemonset",
		except: map[string]string{"TestUpdateStatusDespitePodCreationFailure": ownPlugin}},
	{name: "kubernetes garbagecollector", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/garbagecollector",
		except: map[string]string{"TestCrossNamespaceReferencesWithWatchCache": ownAccount, "TestCrossNamespaceReferencesWithoutWatchCache": ownAccount}},
	{name: "kubernetes evictions", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/evictions"},
	{name: "kubernetes disruption", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/disruption",
		except: map[string]string{"TestEmptySelector": ownStorage, "TestSelectorsForPodsWithoutLabels": ownStorage}},
	{name: "kubernetes endpointslice", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/endpointslice"},
	{name: "kubernetes namespace", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/namespace"},
	{name: "kubernetes quota", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/quota",
		except: map[string]string{"TestQuotaLimitedResourceDenial": ownConfig}},
	{name: "kubernetes pods", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/pods",
		except: map[string]string{"TestPodTopologyLabels_FeatureDisabled": ownGates, "TestRelaxedDNSSearchValidation": ownGates}},
	{name: "kubernetes service", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/service",
		except: map[string]string{"Test_ServiceValidation_FeatureGateEnableDisable": ownGates, "Test_UpgradeService": ownStorage}},
	{name: "kubernetes configmap", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/configmap"},
	{name: "kubernetes secrets", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/secrets"},
	{name: "kubernetes events", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/events"},
	{name: "kubernetes scale", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/scale"},
	{name: "kubernetes storageclasses", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/storageclasses"},
	{name: "kubernetes cronjob", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/cronjob"},
	{name: "kubernetes replicationcontroller", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/replicationcontroller"},
	{name: "kubernetes podgc", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/podgc"},
	{name: "kubernetes ttlcontroller", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/ttlcontroller"},
	{name: "kubernetes endpoints", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/endpoints"},
	{name: "kubernetes node", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/node"},
	{name: "kubernetes network", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/network"},
	{name: "kubernetes defaulttolerationseconds", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/defaulttolerationseconds"},
	{name: "kubernetes staleness", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/staleness"},
	{name: "kubernetes openshift", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/openshift"},
	{name: "kubernetes job", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/job",
		except: map[string]string{"TestJobAdmissionParallelismUpdate": alphaKinds, "TestJobGangScheduling": alphaKinds, "TestDelayTerminalPhaseCondition": ownGates, "TestUpdateJobPodResources": ownGates}},
	{name: "kubernetes volume", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/volume",
		except: map[string]string{"TestPersistentVolumeClaimVolumeAttirbutesClassName": ownGates}},
	{name: "kubernetes dualstack", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/dualstack",
		except: map[string]string{"TestUpgradeServicePreferToDualStack": ownStorage, "TestDowngradeServicePreferFromDualStack": ownStorage}},
	{name: "kubernetes apimachinery", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/apimachinery",
		except: map[string]string{"TestWatchRestartsIfTimeoutNotReached": startsWith, "TestReflectorWatchListFallback": ownStorage}},
	{name: "kubernetes apiserver", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/apiserver",
		except: map[string]string{"TestHSTS": startsWith, "TestHealthHandler": startsWith, "TestEmulatedStorageVersion": startsWith, "TestMinCompatibilityStorageVersion": startsWith, "TestEnableEmulationVersion": startsWith, "TestEnableEmulationVersionForwardCompatible": startsWith, "TestEnableRuntimeConfigEmulationVersionForwardCompatible": startsWith, "TestListOptions": ownStorage, "TestDefaultStorageEncoding": ownStorage, "TestCustomResourceValidators": ownStorage, "TestWatchCacheUpdatedByEtcd": ownStorage, "TestGetScaleSubresourceAsTableForAllBuiltins": ownGates, "TestCanaryCVE_2021_29923": ownGates, "TestShardedList": ownGates, "TestShardedWatch": ownGates, "TestShardedListByNamespace": ownGates, "TestShardedListAllResources": ownGates, "TestPodSubresourceAuth": ownAccount},
		apart:  map[string]string{"TestNondeterministicResponseEncoding": noCBOR, "TestRequestObjectConvertibleToUnstructured": brokenJSON}},
	{name: "kubernetes apiserver openapi", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/apiserver/openapi",
		except: map[string]string{"TestFetchingOpenAPIBeforeReady": startsWith, "TestEnablingOpenAPIEnumTypes": ownGates}},
	{name: "kubernetes apiserver cel", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/apiserver/cel",
		except: map[string]string{"TestPolicyAdmissionV1beta1": alphaKinds, "TestMutatingAdmissionPolicy": alphaKinds, "TestMutatingAdmissionPolicy_Slow": alphaKinds, "Test_MutatingAdmissionPolicy_CustomResources": alphaKinds, "TestStaticPolicyBlocksAPICreation": startsWith, "TestStaticPolicyComprehensive": startsWith, "Test_ValidateAnnotationsAndWarnings": startsWith, "TestCRDsOnStartup": ownStorage}},
	{name: "kubernetes apiserver admissionwebhook", ownServers: true, flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/integration/apiserver/admissionwebhook",
		except: map[string]string{"TestWebhookAdmissionWithWatchCache": ownStorage, "TestWebhookAdmissionWithoutWatchCache": ownStorage, "TestWebhookAdmissionWithCBOR": ownStorage, "TestBrokenWebhook": ownStorage, "TestWebhookClientAuthWithAggregatorRouting": startsWith, "TestWebhookClientAuthWithoutAggregatorRouting": startsWith, "TestWebhookLoadBalance": ownLookup, "TestWebhookReinvocationPolicyWithWatchCache": startsWith, "TestWebhookReinvocationPolicyWithoutWatchCache": startsWith, "TestStaticWebhookBlocksAPICreation": startsWith, "TestStaticWebhookComprehensive": startsWith}},
	{name: "kubernetes e2e", flags: true, module: kubernetes, version: kubernetesVersion, pkg: kubernetes + "/test/e2e", chosen: endToEnd},
	{name: "controller-runtime client", module: controllerRuntime, version: controllerRuntimeVersion, pkg: controllerRuntime + "/pkg/client"},
	{name: "controller-runtime cache", module: controllerRuntime, version: controllerRuntimeVersion, pkg: controllerRuntime + "/pkg/cache"},
	{name: "controller-runtime controllerutil", module: controllerRuntime, version: controllerRuntimeVersion, pkg: controllerRuntime + "/pkg/controller/controllerutil"},
	{name: "controller-runtime controller", module: controllerRuntime, version: controllerRuntimeVersion, pkg: controllerRuntime + "/pkg/controller"},
	{name: "controller-runtime builder", module: controllerRuntime, version: controllerRuntimeVersion, pkg: controllerRuntime + "/pkg/builder"},
	{name: "controller-runtime manager", module: controllerRuntime, version: controllerRuntimeVersion, pkg: controllerRuntime + "/pkg/manager"},
	{name: "controller-runtime cluster", module: controllerRuntime, version: controllerRuntimeVersion, pkg: controllerRuntime + "/pkg/cluster"},
	{name: "controller-runtime handler", module: controllerRuntime, version: controllerRuntimeVersion, pkg: controllerRuntime + "/pkg/handler"},
	{name: "controller-runtime source", module: controllerRuntime, version: controllerRuntimeVersion, pkg: controllerRuntime + "/pkg/source"},
	{name: "controller-runtime reconcile", shared: true, module: controllerRuntime, version: controllerRuntimeVersion, pkg: controllerRuntime + "/pkg/reconcile"},
	{name: "controller-runtime recorder", module: controllerRuntime, version: controllerRuntimeVersion, pkg: controllerRuntime + "/pkg/internal/recorder"},
	{name: "controller-runtime internal controller", module: controllerRuntime, version: controllerRuntimeVersion, pkg: controllerRuntime + "/pkg/internal/controller"},
	{name: "controller-runtime webhook", module: controllerRuntime, version: controllerRuntimeVersion, pkg: controllerRuntime + "/pkg/webhook"},
	{name: "controller-runtime metrics filters", module: controllerRuntime, version: controllerRuntimeVersion, pkg: controllerRuntime + "/pkg/metrics/filters",
		apart: map[string]string{filters + "should serve metrics in its registry": reviews, filters + "should serve extra endpoints": reviews}},
	{name: "controller-runtime envtest", module: controllerRuntime, version: controllerRuntimeVersion, pkg: controllerRuntime + "/pkg/envtest",
		apart: map[string]string{"Test [It] should set a working KubeConfig": existing}},
	{name: "flux ssa", module: "github.com/fluxcd/pkg/ssa", version: "v0.76.2", pkg: "github.com/fluxcd/pkg/ssa", shared: true,
		apart: map[string]string{"TestApplyAllStaged_AppliesRoleAndRoleBinding": ownUsers, "TestApply_MigrateAPIVersion": kinder,
			"TestApplyAll_MigrateAPIVersion": kinder, "TestApply_MigrateAPIVersion_RealWorldExternalSecrets": kinder}},
}
