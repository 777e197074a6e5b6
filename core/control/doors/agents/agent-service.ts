import { Code, ConnectError, type ConnectRouter, type Interceptor } from "@connectrpc/connect";
import { AgentService } from "@reeve/protocol";
import type { AgentSide } from "@reeve/runs";
import type { Log } from "../../controller.ts";
import type { Logs } from "../../logs/logs.ts";
import type { Tunnels } from "../../tunnels/tunnels.ts";
import type { UsageIn } from "../../usage/receive.ts";
import { connectErrorOf, faultOf } from "../connect/fault-codes.ts";
import { controlStream } from "./control-stream.ts";
import { type Enrolling, enrol } from "./enrol.ts";
import type { AgentLinks } from "./links.ts";
import { renew } from "./renew.ts";

export interface AgentServiceOptions extends Enrolling {
  readonly agents: AgentSide;
  readonly links: AgentLinks;
  readonly observed: () => void;
  readonly usage: UsageIn;
  readonly logs: Pick<Logs, "receive">;
  readonly tunnels: Pick<Tunnels, "answered">;
  /** A file that an offer to this agent spoke of; throws a Fault `not_found` for all others. */
  readonly file: (agent: string, name: string) => Promise<Buffer>;
  readonly log: Log;
}

const pieceBytes = 256 * 1024;

/** What the control plane does for agents. Whom each call comes from is known by its identity, never by what it says. */
export function agentService(options: AgentServiceOptions): (router: ConnectRouter) => void {
  const { callers, logs, log } = options;
  return (router) =>
    router.service(
      AgentService,
      {
        enrol: (request, context) => enrol(options, request, context),
        renew: (request, context) => renew(options, request, context),
        async *control(requests, context) {
          yield* controlStream(options, await callers.identify(context), requests);
        },
        async *logs(requests, context) {
          const { uid } = await callers.identify(context);
          yield* logs.receive(uid, requests);
        },
        async *tunnel(requests, context) {
          const { uid } = await callers.identify(context);
          yield* options.tunnels.answered(uid, requests, context.signal);
        },
        async *fetch({ name }, context) {
          const { uid } = await callers.identify(context);
          const content = await options.file(uid, name);
          for (let at = 0; at < content.length; at += pieceBytes)
            yield { data: content.subarray(at, at + pieceBytes) };
        },
      },
      { interceptors: [inWords(log)] },
    );
}

/** Faults become answers; what nobody expected is logged here, once, and tells the caller nothing. */
function inWords(log: Log): Interceptor {
  const answerTo = (error: unknown): ConnectError => {
    const known = error instanceof ConnectError ? error : cutOf(error);
    if (known !== undefined) return known;
    const fault = faultOf(error);
    if (fault.kind === "internal") log.error({ err: error }, "an agent's call failed");
    return connectErrorOf(fault, "");
  };
  async function* answered<T>(messages: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* messages;
    } catch (error) {
      throw answerTo(error);
    }
  }
  return (next) => async (request) => {
    try {
      const response = await next(
        request.stream ? { ...request, message: untilCut(request.message) } : request,
      );
      return response.stream ? { ...response, message: answered(response.message) } : response;
    } catch (error) {
      throw answerTo(error);
    }
  };
}

async function* untilCut<T>(messages: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* messages;
  } catch (error) {
    throw cutOf(error) ?? error;
  }
}

/** An agent that dies, or whose network does, has left: that is no failure of ours, whether we read or write at that moment. */
function cutOf(error: unknown): ConnectError | undefined {
  const isCut = cuts.has((error as NodeJS.ErrnoException).code ?? "");
  return isCut ? new ConnectError("the connection was cut", Code.Canceled) : undefined;
}

const cuts = new Set(
  "ERR_STREAM_PREMATURE_CLOSE ERR_STREAM_DESTROYED ERR_HTTP2_STREAM_ERROR ERR_HTTP2_SESSION_ERROR ERR_HTTP2_INVALID_STREAM ECONNRESET EPIPE".split(
    " ",
  ),
);
