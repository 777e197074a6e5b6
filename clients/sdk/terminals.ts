import { CallFault, faultFromAnswer } from "./call-fault.ts";
import { parseJson, type Wire } from "./wire.ts";

/** In characters. */
export interface TerminalSize {
  readonly rows: number;
  readonly columns: number;
}

/** What the action `exec` of a service and `shell` of a host give. */
export interface TerminalTicket {
  readonly ticket: string;
  readonly host: string;
  /** Whether what the terminal will show is recorded. */
  readonly recorded: boolean;
}

export interface TerminalEnd {
  /** Of what ran, when it ended by itself. */
  readonly exitCode?: number;
  /** In words, when it was ended. */
  readonly why?: string;
}

export interface OpenTerminal {
  type(data: Uint8Array | string): void;
  resize(size: TerminalSize): void;
  /** Nothing more is typed. */
  done(): void;
  close(): void;
  /** Rejects when it could not be opened. */
  readonly ended: Promise<TerminalEnd>;
}

/** What is shown; a promise asks to wait before there is more. */
type Shows = (data: Uint8Array, stream: "stdout" | "stderr") => undefined | Promise<void>;

export interface TerminalsClient {
  /** With a ticket that the action `exec` of a service or `shell` of a host has given. */
  open(ticket: string, size: TerminalSize | undefined, shows: Shows): Promise<OpenTerminal>;
}

export function openTerminals(wire: Wire): TerminalsClient {
  return {
    async open(ticket, size, shows) {
      const socket = await wire.socket("/api/v1/terminals");
      const { promise: ended, resolve, reject } = Promise.withResolvers<TerminalEnd>();
      const encoder = new TextEncoder();
      const say = (word: object) => socket.send(JSON.stringify(word));
      socket.binaryType = "arraybuffer";
      socket.onmessage = ({ data }) => {
        if (typeof data === "string") {
          const { end, problem } = (parseJson(data) ?? {}) as {
            end?: TerminalEnd;
            problem?: { status: number };
          };
          if (end !== undefined) resolve(end);
          if (problem !== undefined) reject(faultFromAnswer(problem.status, () => null, problem));
          return;
        }
        const bytes = new Uint8Array(data as ArrayBuffer);
        const wait = shows(bytes.subarray(1), bytes[0] === 2 ? "stderr" : "stdout");
        if (wait === undefined) return;
        socket.pause?.();
        void wait.then(() => socket.resume?.());
      };
      socket.onclose = () =>
        reject(
          new CallFault("unavailable", "the connection to the server was lost, and the terminal with it"),
        );
      say({ ticket, ...(size && { size }) });
      return {
        type: (data) => socket.send(typeof data === "string" ? encoder.encode(data) : data),
        resize: (now) => say({ size: now }),
        done: () => say({ done: true }),
        close: () => socket.close(),
        ended,
      };
    },
  };
}
