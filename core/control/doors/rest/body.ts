import { isUtf8 } from "node:buffer";
import { Fault } from "@reeve/model";
import type { FastifyInstance } from "fastify";
import { duplicateKey } from "./duplicate-key.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The body as it came, for the fingerprint of a repeated request. */
    rawText?: string;
  }
}

/** A body that could not even be read; answered with 400 rather than 422. */
export class Unreadable extends Fault {
  constructor(message: string, next = "send a JSON document in UTF-8", pointer = "") {
    super("invalid", message, { next, errors: [{ pointer, message }] });
  }
}

/** JSON only, in valid UTF-8: decoding leniently would store other bytes than were sent. */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser(
    /^application\/(json|merge-patch\+json) *(;|$)/i,
    { parseAs: "buffer" },
    (request, body, done) => {
      const bytes = body as Buffer;
      if (bytes.length === 0) return done(null, undefined);
      if (!isUtf8(bytes)) return done(new Unreadable("the body is not valid UTF-8"));
      request.rawText = bytes.toString("utf8");
      const text = request.rawText;
      void parse(request, text, (error, value) => {
        if (error) return done(new Unreadable(`the body is not valid JSON${placeIn(error)}`));
        const twice = duplicateKey(text);
        if (twice === undefined) return done(null, value);
        return done(
          new Unreadable(`the key ${twice.slice(0, 200)} is there twice`, "leave one of them out", twice),
        );
      });
    },
  );
}

/** Of the parser's words only the place: the rest repeats what was sent, which may be a secret. */
function placeIn({ message }: Error): string {
  return / at position \d+( \(line \d+ column \d+\))?/.exec(message)?.[0] ?? "";
}
