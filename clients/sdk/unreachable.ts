import { CallFault } from "./call-fault.ts";

const untrusted = [
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
];
const wrongCertificate = ["ERR_TLS_CERT_ALTNAME_INVALID", "CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"];

/** No answer came: says why in words, and whether it is worth trying again. */
export function unreachable(url: string, error: unknown): CallFault {
  const code = codeOf(error);
  const place = new URL(url).origin;
  if (untrusted.includes(code))
    return new CallFault(
      "unavailable",
      `the certificate of ${place} is not signed by anyone this machine trusts`,
      {
        next: "give its certificate, or that of its authority: --ca FILE with `reeve login` or `reeve setup`, `ca` in the SDK",
        cause: error,
      },
    );
  if (wrongCertificate.includes(code))
    return new CallFault("unavailable", `the certificate of ${place} is not valid: ${reasonOf(error)}`, {
      next: "use the name the certificate was made for, or renew it on the server",
      cause: error,
    });
  if (code === "ENOTFOUND")
    return new CallFault("unavailable", `there is no host ${new URL(url).hostname}`, {
      next: "check the address for a misspelling",
      cause: error,
    });
  return new CallFault("unavailable", `cannot reach ${place}: ${words[code] ?? reasonOf(error)}`, {
    next: adviceFor(url, code),
    retryable: true,
    cause: error,
  });
}

/** A TLS port hangs up on plain HTTP without a word. */
function adviceFor(url: string, code: string): string {
  const cut = code === "ECONNRESET" || code === "UND_ERR_SOCKET" || code === "HPE_INVALID_CONSTANT";
  if (cut && url.startsWith("http:"))
    return "if the server speaks TLS, use https:// in its address; else look at its log";
  return "check that the server runs and that the address is right";
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nobody listens there",
  ECONNRESET: "the connection was cut",
  UND_ERR_SOCKET: "the connection was cut",
  EPIPE: "the connection was cut",
  ETIMEDOUT: "no answer in time",
  UND_ERR_CONNECT_TIMEOUT: "no answer in time",
  UND_ERR_HEADERS_TIMEOUT: "no answer in time",
  TimeoutError: "no answer in time",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no route to the network",
  EAI_AGAIN: "the name service does not answer",
  EPROTO: "it does not speak TLS there",
};

/** fetch wraps the real error, and one for several addresses of a host wraps again. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  if (error.name === "TimeoutError") return "TimeoutError";
  const own = (error as { code?: unknown }).code;
  if (typeof own === "string") return own.startsWith("ERR_SSL") ? "EPROTO" : own;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return codeOf(error.cause);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}
