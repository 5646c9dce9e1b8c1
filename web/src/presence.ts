// The notice that the playground is also open in another tab. Tabs announce themselves through a
// BroadcastChannel.
import type { App } from "./app";

export function watchTabs(app: App): void {
  if (!("BroadcastChannel" in window)) return;
  const channel = new BroadcastChannel("patchlab.playground");
  let noticed = false;
  const tell = () => {
    if (noticed) return;
    noticed = true;
    app.tell(
      "The playground is also open in another tab. Each tab keeps its own scenario; a new tab starts with the one that was changed last.",
    );
  };
  channel.onmessage = (event: MessageEvent<unknown>) => {
    if (event.data === "here?") channel.postMessage("here");
    tell();
  };
  channel.postMessage("here?");
}
