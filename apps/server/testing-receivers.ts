import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { onTestFinished } from "vitest";

export interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Takes what is posted to it, and answers as the test wants at that moment. */
export async function webhookReceiver(): Promise<{ url: string; received: Received[]; answer: number }> {
  const receiver = { url: "", received: [] as Received[], answer: 204 };
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => {
      receiver.received.push({ headers: request.headers, body });
      response.writeHead(receiver.answer).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return receiver;
}

/** Takes what is posted to it and never answers. `letGo` breaks off the connection that has waited longest. */
export async function silentReceiver(): Promise<{ url: string; open: Set<Socket>; letGo(): void }> {
  const open = new Set<Socket>();
  const server = createTcpServer((socket) => {
    open.add(socket);
    socket.on("error", () => {}).once("close", () => open.delete(socket));
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return { url, open, letGo: () => void [...open][0]?.destroy() };
}

interface MailSink {
  readonly port: number;
  readonly mails: { to: string[]; text: string }[];
  /** Who signed in, as `user password`, and whether that was encrypted. */
  readonly logins: { readonly as: string; readonly encrypted: boolean }[];
}

/** The least of an SMTP server (RFC 5321) that a client needs to hand over its mail; with a certificate it offers STARTTLS. */
export async function mailSink(certificate?: { cert: string; key: string }): Promise<MailSink> {
  const sink = { port: 0, mails: [], logins: [] } satisfies MailSink;
  const server = createTcpServer((socket) => {
    socket.write("220 sink\r\n");
    converse(socket, sink, certificate);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return Object.assign(sink, { port: (server.address() as AddressInfo).port });
}

function converse(socket: Socket, sink: MailSink, offers: { cert: string; key: string } | undefined): void {
  let to: string[] = [];
  let text: string | undefined;
  let rest = "";
  const say = (line: string) => socket.write(`${line}\r\n`);
  const hear = (line: string) => {
    if (text !== undefined) {
      if (line !== ".") text += `${line.replace(/^\./, "")}\n`;
      else {
        sink.mails.push({ to, text });
        text = undefined;
        say("250 taken");
      }
      return;
    }
    const word = line.slice(0, 4).toUpperCase();
    if (word === "EHLO") {
      say("250-sink");
      if (offers !== undefined) say("250-STARTTLS");
      say("250 AUTH PLAIN");
    } else if (word === "STAR" && offers !== undefined) {
      say("220 go on");
      socket.removeAllListeners("data");
      converse(new TLSSocket(socket, { isServer: true, ...offers }), sink, undefined);
    } else if (word === "AUTH") {
      const [, user, password] = Buffer.from(line.split(" ")[2] ?? "", "base64")
        .toString()
        .split("\0");
      sink.logins.push({ as: `${user} ${password}`, encrypted: socket instanceof TLSSocket });
      say("235 welcome");
    } else if (word === "HELO" || word === "MAIL" || word === "RSET") {
      to = [];
      say("250 good");
    } else if (word === "RCPT") {
      to.push(/<(.*?)>/.exec(line)?.[1] ?? "");
      say("250 good");
    } else if (word === "DATA") {
      text = "";
      say("354 go on");
    } else if (word === "QUIT") {
      say("221 bye");
      socket.end();
    } else say("502 what");
  };
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    const lines = (rest + chunk.toString()).split("\r\n");
    rest = lines.pop() ?? "";
    for (const line of lines) hear(line);
  });
}
