package main

// Reasons for skipping a test or for its expected failure.
const (
	ownStorage = "reads or writes etcd beside the server"
	startsWith = "needs a server that is started with flags or feature gates of its own"
	ownUsers   = "needs users that may do less than everything"
	ownVersion = "expects the version that the test was compiled with"
	noCBOR     = "CBOR is not served"
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
