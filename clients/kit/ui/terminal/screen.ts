import "@xterm/xterm/css/xterm.css";
import type { TerminalSize } from "@reeve/sdk";
import { FitAddon } from "@xterm/addon-fit";
import { type ITheme, Terminal } from "@xterm/xterm";
import { openUnderPolicy } from "./strict-policy.ts";

/** What a terminal shows, and what is typed into it. */
export interface Screen {
  /** Resolves when it is drawn. */
  write(data: Uint8Array | string): Promise<void>;
  /** Nothing stands there any more. */
  clear(): void;
  size(): TerminalSize;
  /** As large as this, whatever room there is; else it fills its element. */
  resize(size: TerminalSize): void;
  /** The colours of the page, as they are now. */
  paint(): void;
  focus(): void;
  close(): void;
}

interface Options {
  readonly label: string;
  /** Without it nothing can be typed. */
  readonly typed?: (data: Uint8Array | string) => void;
  readonly resized?: (size: TerminalSize) => void;
  /** The key that leads out of it was pressed: all others belong to what runs there. */
  readonly left?: () => void;
}

/** No program in a terminal can be told of this key, so none misses it. */
const isWayOut = ({ key, ctrlKey }: KeyboardEvent) => ctrlKey && key === ".";

export function openScreen(box: HTMLElement, { label, typed, resized, left }: Options): Screen {
  const terminal = new Terminal({
    fontFamily: getComputedStyle(box).getPropertyValue("--mantine-font-family-monospace"),
    fontSize: 13,
    scrollback: 5000,
    disableStdin: typed === undefined,
    cursorInactiveStyle: typed === undefined ? "none" : "outline",
    theme: themeOf(box),
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  openUnderPolicy(terminal, box);
  terminal.textarea?.setAttribute("aria-label", label);
  const size = () => ({ rows: terminal.rows, columns: terminal.cols });
  if (typed) {
    terminal.onData(typed);
    terminal.onBinary((text) => typed(Uint8Array.from(text, (one) => one.charCodeAt(0))));
  }
  if (resized) terminal.onResize(() => resized(size()));
  terminal.attachCustomKeyEventHandler((event) => {
    if (!isWayOut(event)) return true;
    if (event.type === "keydown") left?.();
    return false;
  });
  const watcher = new ResizeObserver(() => fit.fit());
  if (typed) {
    fit.fit();
    watcher.observe(box);
  }
  return {
    write: (data) => new Promise((drawn) => terminal.write(data, drawn)),
    clear: () => terminal.reset(),
    size,
    resize: ({ rows, columns }) => terminal.resize(columns, rows),
    paint: () => {
      terminal.options.theme = themeOf(box);
    },
    focus: () => terminal.focus(),
    close() {
      watcher.disconnect();
      terminal.dispose();
    },
  };
}

const colours = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;

/** The sixteen colours are those of logs. */
function themeOf(box: HTMLElement): ITheme {
  const probe = box.appendChild(document.createElement("span"));
  const read = (name: string) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const [ground, text, selected] = [read("--log-ground"), read("--log-text"), read("--reeve-selected")];
  const ansi = colours.flatMap((name, at) => [
    [name, read(`--ansi-${at}`)],
    [`bright${name.charAt(0).toUpperCase()}${name.slice(1)}`, read(`--ansi-${at + 8}`)],
  ]);
  probe.remove();
  return {
    ...Object.fromEntries(ansi),
    background: ground,
    foreground: text,
    cursor: text,
    cursorAccent: ground,
    selectionBackground: selected,
  };
}
