import { ConnectError, type ConnectRouter, type Interceptor } from "@connectrpc/connect";
import { AgentService, type ControlRequestSchema, type ControlResponseSchema } from "@reeve/protocol";
import type { AgentSide } from "@reeve/runs";
import type { Log } from "../../controller.ts";
import type { Logs } from "../../logs/logs.ts";
import { cutOf } from "../../peers/cut.ts";
import type { Line } from "../../peers/line.ts";
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

/**
 * What the control plane does for agents, but for their life line. Whom each call comes from is known by its identity, never by
 * what it says.
 */
export function agentService(options: AgentServiceOptions): (router: ConnectRouter) => void {
  const { callers, logs, log } = options;
  return (router) =>
    router.service(
      AgentService,
      {
        enrol: (request, context) => enrol(options, request, context),
        renew: (request, context) => renew(options, request, context),
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

export function lifeLine(
  options: AgentServiceOptions,
): Line<typeof ControlRequestSchema, typeof ControlResponseSchema> {
  return {
    method: AgentService.method.control,
    async *serve(requests, context) {
      try {
        yield* controlStream(options, await options.callers.identify(context), requests);
      } catch (error) {
        throw answerTo(options.log, error);
      }
    },
  };
}

/** Faults become answers; what nobody expected is logged here, once, and tells the caller nothing. */
function answerTo(log: Log, error: unknown): ConnectError {
  const known = error instanceof ConnectError ? error : cutOf(error);
  if (known !== undefined) return known;
  const fault = faultOf(error);
  if (fault.kind === "internal") log.error({ err: error }, "an agent's call failed");
  return connectErrorOf(fault, "");
}

function inWords(log: Log): Interceptor {
  async function* answered<T>(messages: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* messages;
    } catch (error) {
      throw answerTo(log, error);
    }
  }
  return (next) => async (request) => {
    try {
      const response = await next(
        request.stream ? { ...request, message: untilCut(request.message) } : request,
      );
      return response.stream ? { ...response, message: answered(response.message) } : response;
    } catch (error) {
      throw answerTo(log, error);
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
