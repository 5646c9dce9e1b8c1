package document_test

import (
	"encoding/json"
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
)

const pod = `
spec:
  containers:
  - name: app
    image: app:1
    ports:
    - containerPort: 80
`

func ExampleParsePath() {
	for _, text := range []string{
		"spec.containers[0].image",
		"{.spec.containers[?(@.name=='app')].image}",
		`f:spec.f:containers.k:{"name":"app"}.f:image`,
		".spec.ports[protocol=TCP,containerPort=80]",
		".metadata.labels['app.kubernetes.io/name']",
		".spec.containers[*].image",
	} {
		p, err := document.ParsePath(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(p)
	}
	// Output:
	// .spec.containers[0].image
	// .spec.containers[name="app"].image
	// .spec.containers[name="app"].image
	// .spec.ports[containerPort=80,protocol="TCP"]
	// .metadata.labels["app.kubernetes.io/name"]
	// invalid path ".spec.containers[*].image": character 18: [*] matches every item; select one by index or key
}

// Paths are built step by step and compared by their steps.
func ExamplePath() {
	key, err := document.KeyStep(document.NewObject().With("name", document.NewString("app")))
	if err != nil {
		fmt.Println(err)
		return
	}
	p := document.Keys("spec", "containers").Join(key).Child("ports").Item(0)
	text, _ := json.Marshal(p)
	fmt.Println(string(text))
	for _, s := range p {
		fmt.Print(s.Element(), " ")
	}
	fmt.Println()
	// Output:
	// ".spec.containers[name=\"app\"].ports[0]"
	// f:spec f:containers k:{"name":"app"} f:ports i:0
}

func ExampleValue_Follow() {
	d, err := document.ParseYAML([]byte(pod), document.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, _ := document.ParsePath(`.spec.containers[name="app"].ports[containerPort=80,protocol=TCP]`)
	fmt.Println(d.Root.Follow(p), "at", d.PositionOf(p))
	// Output: {"containerPort":80} at 7:7
}

func ExampleValue_SetAt() {
	d, err := document.ParseYAML([]byte(pod), document.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	image, _ := document.ParsePath(".spec.containers[name=app].image")
	next, err := d.Root.SetAt(image, document.NewString("app:2"))
	fmt.Println(next.Follow(image), err)
	missing, _ := document.ParsePath(".spec.containers[name=proxy].image")
	_, err = next.SetAt(missing, document.NewString("proxy:2"))
	fmt.Println(err)
	// Output:
	// "app:2" <nil>
	// invalid path: there is no item [name="proxy"] in the list
}
