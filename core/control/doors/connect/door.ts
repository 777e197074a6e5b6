import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { ConnectError, type Interceptor } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { ResourceService } from "@reeve/protocol";
import type { Context } from "../../context.ts";
import type { Log } from "../../controller.ts";
import { unauthenticated } from "../../guard/authorise.ts";
import { refuse } from "../../operations/mutate.ts";
import type { Gate, Visit } from "../gate.ts";
import { admit, requestIdOf, withCall } from "./arrivals.ts";
import { connectErrorOf, faultOf } from "./fault-codes.ts";
import { resourceService } from "./resource-service.ts";

export type ConnectHandler = (
  request: IncomingMessage | Http2ServerRequest,
  response: ServerResponse | Http2ServerResponse,
) => void;

const messageLimitBytes = 4 * 1024 * 1024;

/** JSON may be 40 levels deep and costs two messages a level; what is deeper the model refuses in its own words. */
const depthLimit = 200;

/**
 * The door for Connect, gRPC and gRPC-web clients, over HTTP/1.1 and HTTP/2 alike: the same operations as REST as one
 * generic service. Serves paths that begin with `/reeve.v1.`. Bearer tokens only. Its watches end with the hub.
 */
export function connectDoor(context: Context, gate: Pick<Gate, "arrive">): ConnectHandler {
  const answers = new WeakMap<object, Visit["answer"]>();
  const handle = connectNodeAdapter({
    routes: (router) => router.service(ResourceService, resourceService(context)),
    contextValues: (request) => withCall({ request, answer: answers.get(request) as Visit["answer"] }),
    requestGate: async (handler) => {
      try {
        const arrival = await admit(gate, handler);
        handler.responseHeader.set("x-request-id", arrival.origin.requestId);
        // Every call of this door needs a caller, so strangers are turned away before their body is read.
        if (arrival.caller === undefined)
          await refuse(context, arrival, handler.method.name, service, unauthenticated());
      } catch (error) {
        throw answerTo(error, context.log, requestIdOf(handler.values));
      }
    },
    interceptors: [answerFaults(context.log)],
    readMaxBytes: messageLimitBytes,
    binaryOptions: { recursionLimit: depthLimit },
    jsonOptions: { recursionLimit: depthLimit, ignoreUnknownFields: false },
  });
  return (request, response) => {
    answers.set(request, response);
    handle(request, response);
  };
}

const service = { kind: "Route", scope: "", name: ResourceService.typeName };

/** The one place where a failure becomes an answer; what nobody expected is logged here, once. */
function answerFaults(log: Log): Interceptor {
  return (next) => async (request) => {
    const requestId = requestIdOf(request.contextValues);
    try {
      const response = await next(request);
      if (!response.stream) return response;
      return { ...response, message: answered(response.message, log, requestId) };
    } catch (error) {
      throw answerTo(error, log, requestId);
    }
  };
}

async function* answered<T>(messages: AsyncIterable<T>, log: Log, requestId: string): AsyncGenerator<T> {
  try {
    yield* messages;
  } catch (error) {
    throw answerTo(error, log, requestId);
  }
}

/** Connect's own refusals (an unreadable message, a deadline) are answers already. */
function answerTo(error: unknown, log: Log, requestId: string): ConnectError {
  if (error instanceof ConnectError) return error;
  const fault = faultOf(error);
  if (fault.kind === "internal") log.error({ err: error, requestId }, "a call failed");
  return connectErrorOf(fault, requestId);
}
