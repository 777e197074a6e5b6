import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { Fault, openPipe } from "@reeve/model";
import { PeerService, type RelayRequest } from "@reeve/protocol";
import type { KeyPair } from "../authority/certificate.ts";
import { peerConnection } from "../peers/connection.ts";
import type { Peer } from "../peers/roster.ts";
import type { Heard, Opens, Said, Tunnel } from "./tunnel.ts";

/** A tunnel through another replica, on a connection of its own: a flood must not delay the wakes. */
export async function relayThrough(
  peer: Peer,
  own: KeyPair,
  agent: string,
  opens: Opens,
): Promise<Tunnel | undefined> {
  const connection = peerConnection(peer, own);
  const client = createClient(
    PeerService,
    createConnectTransport({
      baseUrl: connection.authority,
      httpVersion: "2",
      sessionManager: connection,
      useBinaryFormat: true,
    }),
  );
  const said = openPipe<Said>();
  async function* requests() {
    yield { message: { case: "dial" as const, value: { agent, ...opens } } };
    for await (const value of said) yield { message: { case: "said" as const, value: { message: value } } };
  }
  const close = () => {
    said.stop();
    connection.close();
  };
  const heard = client.relay(requests())[Symbol.asyncIterator]();
  try {
    await heard.next();
  } catch (error) {
    close();
    if (ConnectError.from(error).code === Code.NotFound) return undefined;
    throw new Fault("unavailable", "the replica that the host's agent is connected to does not answer", {
      next: "try again",
    });
  }
  async function* words(): AsyncGenerator<Heard, void> {
    try {
      for (let next = await heard.next(); !next.done; next = await heard.next())
        if (next.value.heard?.message.case !== undefined) yield next.value.heard.message as Heard;
    } catch {
      // The replica has gone, and the agent with it: it has no end.
    } finally {
      close();
    }
  }
  return { heard: words(), say: said.push, close };
}

/** The other side of it: to an agent of ours, for a peer. */
export async function* relayFor(
  openHere: (agent: string, opens: Opens) => Promise<Tunnel>,
  requests: AsyncIterable<RelayRequest>,
  signal: AbortSignal,
) {
  const incoming = requests[Symbol.asyncIterator]();
  const first = await incoming.next();
  const dial = first.done ? undefined : first.value.message;
  if (dial?.case !== "dial") throw new ConnectError("begin with the dial", Code.InvalidArgument);
  const { agent, opens, with: asked } = dial.value;
  const tunnel = await openHere(agent, { opens, with: asked }).catch((error: Fault) => {
    throw new ConnectError(error.message, Code.NotFound);
  });
  signal.addEventListener("abort", tunnel.close);
  void passOn(incoming, tunnel).finally(tunnel.close);
  try {
    yield { heard: { message: { case: "dial" as const, value: "" } } };
    for await (const message of tunnel.heard) yield { heard: { message } };
  } finally {
    tunnel.close();
  }
}

async function passOn(incoming: AsyncIterator<RelayRequest>, tunnel: Tunnel): Promise<void> {
  try {
    for (let next = await incoming.next(); !next.done; next = await incoming.next()) {
      const { message } = next.value;
      if (message.case === "said" && message.value.message.case !== undefined)
        await tunnel.say(message.value.message as Said);
    }
  } catch {
    // The peer has gone.
  }
}
