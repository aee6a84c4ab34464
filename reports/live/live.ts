// Follows the run by its events and becomes the report at its end.
import { say, showCpu, showLog, showProgress, showThroughput } from "./page";
import { changes, type Ended, type State } from "./state";

let state: State | null = null;
let startedAt = 0;  // when the current trial's start was heard of
const stale = new Set<string>();
let asked = false;

function draw(): void {
  asked = false;
  if (!state) {
    return;
  }
  showProgress(state, (performance.now() - startedAt) / 1000);
  if (stale.has("cpu")) {
    showCpu(state);
  }
  if (stale.has("throughput")) {
    showThroughput(state);
  }
  if (stale.has("log")) {
    showLog(state);
  }
  stale.clear();
}

function redraw(...parts: string[]): void {
  parts.forEach((part) => stale.add(part));
  if (!asked) {
    asked = true;
    requestAnimationFrame(draw);
  }
}

const parts: Record<string, string[]> = { starting: [], finished: ["cpu", "throughput"], sampled: ["cpu"], logged: ["log"], ended: [] };

function end(ended: Ended): void {
  source.close();
  if (ended.report) {
    say("The run is over: here is its report.");
    location.reload();
  } else {
    say(`The run is over, without a report: ${ended.why}`);
  }
}

const source = new EventSource("/events");
source.addEventListener("state", (event) => {
  state = JSON.parse(event.data) as State;
  startedAt = performance.now();
  say("");
  redraw("cpu", "throughput", "log");
  if (state.ended) {
    end(state.ended);
  }
});
for (const [name, change] of Object.entries(changes)) {
  source.addEventListener(name, (event) => {
    if (!state) {
      return;
    }
    const data = JSON.parse((event as MessageEvent).data);
    change(state, data);
    if (name === "starting") {
      startedAt = performance.now();
    }
    redraw(...parts[name]);
    if (name === "ended") {
      end(data as Ended);
    }
  });
}
source.onerror = () => say(source.readyState === EventSource.CLOSED ? "The run has gone, or it lets nobody else in: reload to try again." : "The connection is lost; trying again…");
setInterval(() => redraw(), 1000);
new ResizeObserver(() => redraw("cpu", "throughput")).observe(document.querySelector("main")!);
