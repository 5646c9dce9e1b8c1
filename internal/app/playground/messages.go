package playground

// The messages. Counts of steps ("at", "against") say how many steps of the
// scenario have been run: 0 is the state before the first step. Lines and columns
// count from 1, columns in characters; 0 where they are not known. Numbers of
// managers are positions in Object.Managers. Where a question is about the state
// before the first step, "object" says which of RunOutput.Objects it is about.

// Scenario is the state of the page. See the package scenario for its meaning.
type Scenario struct {
	Title       string   `json:"title"`
	About       string   `json:"about"`
	Kubernetes  string   `json:"kubernetes"`
	Definitions []string `json:"definitions"`
	// Objects are the live objects that the scenario begins with.
	Objects []string `json:"objects"`
	Actors  []Actor  `json:"actors"`
	Steps   []Step   `json:"steps"`
	// Race holds the changes of actors at the same time, each as JSON. The page keeps
	// them and does not run them.
	Race []string `json:"race"`
}

// Actor is who sends requests.
type Actor struct {
	Name   string `json:"name"`
	Colour string `json:"colour"`
}

// Step is one request.
type Step struct {
	Actor       string `json:"actor"`
	Do          string `json:"do"`
	Subresource string `json:"subresource"`
	Target      Target `json:"target"`
	Body        string `json:"body"`
	Note        string `json:"note"`
	// Expect is what the step is expected to do, as JSON; "" for nothing. The page keeps
	// it, and 'patchlab run' compares it.
	Expect string `json:"expect"`
}

// Target names an object.
type Target struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
}

// Mark is a place in a text and what is wrong there.
type Mark struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

// Failure says why a request was not answered.
type Failure struct {
	Message string `json:"message"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
}

// AboutInput asks what the engine knows.
type AboutInput struct{}

// AboutOutput is what a page needs before the first scenario.
type AboutOutput struct {
	// Versions are the Kubernetes versions, the newest last.
	Versions []string `json:"versions"`
	// Actions are the kinds of request.
	Actions []string `json:"actions"`
}

// RunInput asks to run a scenario and to show a state of it.
type RunInput struct {
	Scenario Scenario `json:"scenario"`
	// At is the state to show.
	At int `json:"at"`
	// Against is the state that it is compared with.
	Against int `json:"against"`
	// Changes is how many changes to tell at most, 0 for all.
	Changes int `json:"changes"`
	// Object is the position, in RunOutput.Objects, of the object to show before the
	// first step.
	Object int `json:"object"`
}

// RunOutput is what became of the steps, and the state asked for.
type RunOutput struct {
	Steps       []StepResult       `json:"steps"`
	Definitions []DefinitionResult `json:"definitions"`
	// Objects are those that the scenario begins with.
	Objects []ExistingObject `json:"objects"`
	At      int              `json:"at"`
	Against int              `json:"against"`
	// Object is the object that the last step of the state is for, null where
	// there is none.
	Object *Object `json:"object"`
	// Rows are the object's lines, with those that it lost since Against.
	Rows []Row `json:"rows"`
	// Changes are the fields that differ from Against, the first of them where
	// not all were asked for.
	Changes []Change `json:"changes"`
	// Changed is how many fields differ in all.
	Changed int `json:"changed"`
	// Conflicts are those that the last step of the state failed for.
	Conflicts []Conflict `json:"conflicts"`
	// NotRun says how many CEL rules and admission policies no step was held against,
	// "" where there are none.
	NotRun string `json:"notRun"`
	// Unvalidated is set if the steps were run without the validation of built-in kinds,
	// by an engine that does not have it.
	Unvalidated bool `json:"unvalidated"`
}

// StepResult is what became of a step.
type StepResult struct {
	// OK says that the API server did what was asked. Code is its HTTP status
	// code, 0 where no request could be made of the step.
	OK       bool     `json:"ok"`
	Code     int      `json:"code"`
	Message  string   `json:"message"`
	Warnings []string `json:"warnings"`
	// Marks are the places in the step's body that the message is about.
	Marks     []Mark `json:"marks"`
	Conflicts int    `json:"conflicts"`
	// Changed says that the step changed the object.
	Changed bool   `json:"changed"`
	Target  Target `json:"target"`
	// ResourceVersion and Generation are the object's after the step, "" where
	// it has none.
	ResourceVersion string `json:"resourceVersion"`
	Generation      string `json:"generation"`
}

// DefinitionResult says whether a text is a CustomResourceDefinition.
type DefinitionResult struct {
	OK   bool   `json:"ok"`
	Name string `json:"name"`
	Mark Mark   `json:"mark"`
}

// ExistingObject is an object that the scenario begins with.
type ExistingObject struct {
	// Text is the position, in Scenario.Objects, of the text that it stands in.
	Text   int    `json:"text"`
	Target Target `json:"target"`
	// Notes say what is not as it was given, or not known of it.
	Notes []string `json:"notes"`
	// Managers are the names of those that own something of it, each once.
	Managers []string `json:"managers"`
	// OK is not set where the text cannot be used: Mark says why.
	OK   bool `json:"ok"`
	Mark Mark `json:"mark"`
}

// Object is an object beside its lines.
type Object struct {
	Target          Target    `json:"target"`
	ResourceVersion string    `json:"resourceVersion"`
	Generation      string    `json:"generation"`
	Managers        []Manager `json:"managers"`
}

// Manager is an entry of managedFields.
type Manager struct {
	Name        string `json:"name"`
	Operation   string `json:"operation"`
	APIVersion  string `json:"apiVersion"`
	Subresource string `json:"subresource"`
	Time        string `json:"time"`
}

// ManagedInput asks for the managedFields of a state.
type ManagedInput struct {
	Scenario Scenario `json:"scenario"`
	At       int      `json:"at"`
	Object   int      `json:"object"`
}

// ManagedOutput are managedFields, once as the API server shows them and once as
// the trees of the managers, in their order.
type ManagedOutput struct {
	YAML  string `json:"yaml"`
	Trees []Tree `json:"trees"`
}

// Tree is what a manager owns.
type Tree struct {
	Fields []Node `json:"fields"`
}

// Node is an element of a manager's fields.
type Node struct {
	Label string `json:"label"`
	// Owned says that the manager owns the field itself, not only some below.
	Owned  bool   `json:"owned"`
	Fields []Node `json:"fields"`
}

// Row is a line of the object, or one that it has no more.
type Row struct {
	Text string `json:"text"`
	// Mark is "", "added", "removed", or "owners" where only the owners of the
	// line are others than before.
	Mark string `json:"mark"`
	// Line is the line's number in the object, 0 for a removed one.
	Line int `json:"line"`
	// Owners are the managers of the line's field, Below those of fields below
	// it alone.
	Owners []int `json:"owners"`
	Below  []int `json:"below"`
	// Meaning is "identity", "server" or "status" for fields that no manager comes to
	// own by an apply, "" for others.
	Meaning string `json:"meaning"`
}

// Change is a field that differs.
type Change struct {
	Path   string `json:"path"`
	Effect string `json:"effect"`
	// Before and After are the values, "" where there was none.
	Before       string   `json:"before"`
	After        string   `json:"after"`
	OwnersBefore []string `json:"ownersBefore"`
	OwnersAfter  []string `json:"ownersAfter"`
	// Line of the field in the object, 0 where it has none.
	Line int `json:"line"`
}

// WhyInput asks for the reasons of what a step did.
type WhyInput struct {
	Scenario Scenario `json:"scenario"`
	// At is the number of the step, counted from 1.
	At int `json:"at"`
}

// WhyOutput are the reasons, in the order of the fields.
type WhyOutput struct {
	Reasons []Reason `json:"reasons"`
}

// Reason says what a step did to a field, and by which rule. See explain.Reason.
type Reason struct {
	// Path is "" where it is about the object as a whole.
	Path   string `json:"path"`
	Effect string `json:"effect"`
	Rule   string `json:"rule"`
	Text   string `json:"text"`
	// Expected is what a person might have expected instead, "" for nothing.
	Expected string   `json:"expected"`
	Hint     string   `json:"hint"`
	Wanted   string   `json:"wanted"`
	KeptBy   []string `json:"keptBy"`
	// Line is the field's line in the object, Mark its place in the step's body; 0
	// where it has none.
	Line int  `json:"line"`
	Mark Mark `json:"mark"`
}

// Conflict is a field that an apply would change while another manager owns it.
type Conflict struct {
	Path string `json:"path"`
	// Owner tells the owner as the API server does; Manager is its name.
	Owner   string `json:"owner"`
	Manager string `json:"manager"`
	Live    string `json:"live"`
	Wanted  string `json:"wanted"`
	Ways    []Way  `json:"ways"`
	// Line is the field's line in the object, Mark its place in the step's body; 0
	// where it has none.
	Line int  `json:"line"`
	Mark Mark `json:"mark"`
}

// Way is a way out of a conflict.
type Way struct {
	// Name is force, drop or adopt.
	Name    string `json:"name"`
	Summary string `json:"summary"`
}

// LineInput asks about a line of the object.
type LineInput struct {
	Scenario Scenario `json:"scenario"`
	At       int      `json:"at"`
	Object   int      `json:"object"`
	Line     int      `json:"line"`
}

// LineOutput tells about a line.
type LineOutput struct {
	Path string `json:"path"`
	// Merges says how the field merges.
	Merges string `json:"merges"`
	// Meaning is identity, server, status, immutable, default, owned, shared, members
	// or nobody. Text says in a sentence what follows from that, and Rule names the
	// rule with the address where it is written down.
	Meaning string      `json:"meaning"`
	Text    string      `json:"text"`
	Rule    Rule        `json:"rule"`
	Owners  []Ownership `json:"owners"`
}

// Rule is a rule of the API server that decides about a field.
type Rule struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// Ownership is one owner of a field.
type Ownership struct {
	Manager int `json:"manager"`
	// Since is the step that made it so, counted from 1; 0 where it was so before the
	// first step.
	Since int `json:"since"`
}

// WayInput asks what a way out would do.
type WayInput struct {
	Scenario Scenario `json:"scenario"`
	// At is the number of the step with the conflict, counted from 1.
	At int `json:"at"`
	// Conflict is the number of the conflict, or -1 for all together.
	Conflict int    `json:"conflict"`
	Way      string `json:"way"`
}

// WayOutput is the changed step and what would become of it.
type WayOutput struct {
	Step   Step       `json:"step"`
	Result StepResult `json:"result"`
	// Rows is the object after the changed step, compared with the one before.
	Rows []Row `json:"rows"`
}

// PatchesInput asks for the patches that make an object what it was edited to.
type PatchesInput struct {
	Scenario Scenario `json:"scenario"`
	At       int      `json:"at"`
	Object   int      `json:"object"`
	// Edited is the object as it should be, without managedFields.
	Edited string `json:"edited"`
	// Actor would send the patches.
	Actor string `json:"actor"`
}

// PatchesOutput are the patches.
type PatchesOutput struct {
	Patches []Patch `json:"patches"`
}

// Patch is one way to ask for a change.
type Patch struct {
	// Do is the action of a step with this patch.
	Do   string `json:"do"`
	Body string `json:"body"`
	// OK says that the patch, sent now, makes the object just what was asked.
	OK bool `json:"ok"`
	// Message is the API server's answer or says what differs.
	Message string `json:"message"`
	// Changes are the fields that it changes, with their owners before and after, and
	// Follows says in sentences what follows from the kind of patch.
	Changes []Change `json:"changes"`
	Follows []string `json:"follows"`
	// Kubectl, Curl and Go send the patch: as commands for a shell, and as a program
	// over client-go. They are "" where the patch cannot be sent so.
	Kubectl string `json:"kubectl"`
	Curl    string `json:"curl"`
	Go      string `json:"go"`
}

// ConvertInput asks for a step as another action that does the same.
type ConvertInput struct {
	Scenario Scenario `json:"scenario"`
	// At is the number of the step, counted from 1.
	At int    `json:"at"`
	Do string `json:"do"`
}

// ConvertOutput is the step as the other action, and what it does.
type ConvertOutput struct {
	Step  Step  `json:"step"`
	Patch Patch `json:"patch"`
	// Kept says that the body is the same text as before.
	Kept bool `json:"kept"`
}

// PasteInput is a text that somebody has pasted or dropped.
type PasteInput struct {
	Text string `json:"text"`
	// Kubernetes and Definitions say which kinds are known.
	Kubernetes  string   `json:"kubernetes"`
	Definitions []string `json:"definitions"`
}

// PasteOutput is what the text holds.
type PasteOutput struct {
	// Scenario is the text as a scenario, null where it is none.
	Scenario    *Scenario          `json:"scenario"`
	Objects     []PastedObject     `json:"objects"`
	Definitions []PastedDefinition `json:"definitions"`
}

// PastedObject is an object that was pasted.
type PastedObject struct {
	// Text is the object as YAML.
	Text   string `json:"text"`
	Target Target `json:"target"`
	// Managers are those in its managedFields.
	Managers []Manager `json:"managers"`
	// Live says that an API server has stored the object: it has a uid or a
	// resourceVersion.
	Live bool `json:"live"`
	// Known says that the kind is built in or defined. If it is not, Hint says what
	// may have been meant or what is needed.
	Known bool   `json:"known"`
	Hint  string `json:"hint"`
	// Line where the object begins.
	Line int `json:"line"`
}

// PastedDefinition is a CustomResourceDefinition that was pasted.
type PastedDefinition struct {
	Text string `json:"text"`
	Name string `json:"name"`
}

// StartsInput asks with which manifests one may go on from an object that the
// scenario begins with.
type StartsInput struct {
	Scenario Scenario `json:"scenario"`
	Object   int      `json:"object"`
}

// StartsOutput are steps to go on with.
type StartsOutput struct {
	Steps []Step `json:"steps"`
}

// TextInput is a scenario as a text, to be read.
type TextInput struct {
	Text string `json:"text"`
}

// ScenarioOutput is a scenario that was read.
type ScenarioOutput struct {
	Scenario Scenario `json:"scenario"`
}

// ScenarioInput is a scenario to be written.
type ScenarioInput struct {
	Scenario Scenario `json:"scenario"`
}

// TextOutput is a text that was written.
type TextOutput struct {
	Text string `json:"text"`
}

// LessonOutput is a lesson: a scenario with questions.
type LessonOutput struct {
	Group     string     `json:"group"`
	Scenario  Scenario   `json:"scenario"`
	Questions []Question `json:"questions"`
}

// Question is asked before the result of a step is shown.
type Question struct {
	// Step is the number of the step, counted from 1.
	Step    int      `json:"step"`
	Ask     string   `json:"ask"`
	Choices []Choice `json:"choices"`
	// Because is the reason, to be shown with the result.
	Because string `json:"because"`
}

// Choice is an answer that can be chosen.
type Choice struct {
	Text  string `json:"text"`
	Right bool   `json:"right"`
}
