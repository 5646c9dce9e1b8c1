package quota

import (
	"slices"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/internal/engine/podresources"
)

const (
	claims          = "persistentvolumeclaims"
	requestsStorage = "requests.storage"
	// ofStorageClass joins a storage class and the name that is limited for its claims alone.
	ofStorageClass = ".storageclass.storage.k8s.io/"
)

// StorageClass returns the name of a claim's storage class, "" for none.
func StorageClass(claim document.Value) string {
	return claim.Lookup("metadata", "annotations", names.BetaStorageClass).StringOr(claim.Lookup("spec", "storageClassName").StringOr(""))
}

// tracksClaims reports whether claims of one storage class are limited by this name.
func tracksClaims(name string) bool {
	return strings.HasSuffix(name, ofStorageClass+claims) || strings.HasSuffix(name, ofStorageClass+requestsStorage)
}

// useClaim adds what a PersistentVolumeClaim uses: the storage that it requests, or what has been
// allocated while that is more, in whole bytes.
func useClaim(claim document.Value, _ time.Time, used Amounts) {
	class := StorageClass(claim)
	used[claims] = whole(1)
	if class != "" {
		used[class+ofStorageClass+claims] = whole(1)
	}
	storage, ok := podresources.Read(claim.Lookup("spec", "resources", "requests"))["storage"]
	if !ok {
		return
	}
	if allocated, ok := podresources.Read(claim.Lookup("status", "allocatedResources"))["storage"]; ok && allocated.Cmp(storage) > 0 {
		storage = allocated
	}
	storage = storage.RoundUp(0)
	used[requestsStorage] = storage
	if class != "" {
		used[class+ofStorageClass+requestsStorage] = storage
	}
}

// updatesClaim includes the status, which has the allocated storage and the attributes class.
func updatesClaim(subresource string, _, _ document.Value) bool {
	return subresource == "" || subresource == "status"
}

// selectsClaim reports whether a scope selects a claim, by one of its volume attributes classes.
func selectsClaim(claim document.Value, s selector) bool {
	if s.scope != "VolumeAttributesClass" {
		return false
	}
	classes := attributesClasses(claim)
	if len(classes) == 0 {
		return s.matches("")
	}
	return slices.ContainsFunc(classes, s.matches)
}

func rescopedClaim(claim, old document.Value) bool {
	return !slices.Equal(attributesClasses(claim), attributesClasses(old))
}

// attributesClasses returns the volume attributes classes that a claim has, had or will have.
func attributesClasses(claim document.Value) []string {
	classes := []string{
		claim.Lookup("spec", "volumeAttributesClassName").StringOr(""),
		claim.Lookup("status", "currentVolumeAttributesClassName").StringOr(""),
		claim.Lookup("status", "modifyVolumeStatus", "targetVolumeAttributesClassName").StringOr(""),
	}
	return slices.DeleteFunc(classes, func(class string) bool { return class == "" })
}

// ofDeviceClass follows a device class in the name that limits the devices claimed of it.
const ofDeviceClass = ".deviceclass.resource.k8s.io/devices"

// mostDevices is how many devices a claim for all of them counts as: the most that can be allocated.
const mostDevices = 32

func tracksDevices(name string) bool { return strings.HasSuffix(name, ofDeviceClass) }

// useDevices adds the devices that a ResourceClaim requests by class. Of alternatives, the one with the
// most devices of a class counts.
func useDevices(claim document.Value, _ time.Time, used Amounts) {
	for _, request := range claim.Lookup("spec", "devices", "requests").Items() {
		most := Amounts{}
		for _, alternative := range request.Get("firstAvailable").Items() {
			class, n := devices(alternative)
			if had, ok := most[class]; !ok && n > 0 || ok && whole(n).Cmp(had) > 0 {
				most[class] = whole(n)
			}
		}
		exactly := request.Get("exactly")
		if !exactly.Exists() { // until v1beta1, the fields were those of the request itself
			exactly = request
		}
		if class, n := devices(exactly); n > 0 {
			most[class] = whole(n)
		}
		used.Add(most)
	}
}

// devices returns the name and the number of the devices that a request for one class asks for.
func devices(request document.Value) (name string, n int) {
	switch request.Get("allocationMode").StringOr("") {
	case "ExactCount":
		count, _ := request.Get("count").Int()
		n = int(count)
	case "All":
		n = mostDevices
	}
	return request.Get("deviceClassName").StringOr("") + ofDeviceClass, n
}
