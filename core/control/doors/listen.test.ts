import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type Listener, listen } from "./listen.ts";

type Handler = Parameters<typeof listen>[0]["handler"];

async function listening(handler: Handler): Promise<Listener> {
  const listener = await listen({ host: "127.0.0.1", port: 0, setting: "TEST", proxies: [], handler });
  onTestFinished(() => listener.close(0));
  return listener;
}

test("a connection that is kept alive but idle does not hold the end up", async () => {
  const listener = await listening((_request, response) => void response.end("hello"));
  expect(await (await fetch(`http://127.0.0.1:${listener.port}/`)).text()).toBe("hello");
  // If it waited, it would wait for longer than this test may take.
  await listener.close(600_000);
});

test("an answer under way is finished before the end", async () => {
  let answer = () => {};
  const asked = Promise.withResolvers<void>();
  const listener = await listening((_request, response) => {
    answer = () => void response.end("at last");
    asked.resolve();
  });
  const answered = fetch(`http://127.0.0.1:${listener.port}/`).then((response) => response.text());
  await asked.promise;
  const closed = listener.close(10_000);
  answer();
  expect(await answered).toBe("at last");
  await closed;
});

test("a connection that says nothing, or half a request, is cut when the grace is over", async () => {
  const listener = await listening((_request, response) => void response.end());
  const silent = connect(listener.port, "127.0.0.1");
  const half = connect(listener.port, "127.0.0.1", () => half.write("GET / HTTP/1.1\r\nHost: x"));
  const ended = Promise.all(
    [silent, half].map(
      (socket) =>
        new Promise<void>((resolve) =>
          socket
            .on("error", () => {})
            .on("close", () => resolve())
            .resume(),
        ),
    ),
  );
  await new Promise((resolve) => setTimeout(resolve, 50));
  await listener.close(100);
  await ended;
});

test("an address that is taken is named with the setting to change", async () => {
  const { port } = await listening((_request, response) => void response.end());
  const again = listen({ host: "127.0.0.1", port, setting: "REEVE_LISTEN", proxies: [], handler: () => {} });
  await expect(again).rejects.toThrow(/127\.0\.0\.1:\d+.*uses it already.*REEVE_LISTEN/);
});
