import { Code, ConnectError } from "@connectrpc/connect";

/** An agent that dies, or whose network does, has left: that is no failure of ours, whether we read or write at that moment. */
export function cutOf(error: unknown): ConnectError | undefined {
  const isCut = cuts.has((error as NodeJS.ErrnoException).code ?? "");
  return isCut ? new ConnectError("the connection was cut", Code.Canceled) : undefined;
}

const cuts = new Set(
  "ERR_STREAM_PREMATURE_CLOSE ERR_STREAM_DESTROYED ERR_HTTP2_STREAM_ERROR ERR_HTTP2_SESSION_ERROR ERR_HTTP2_INVALID_STREAM ECONNRESET EPIPE".split(
    " ",
  ),
);
