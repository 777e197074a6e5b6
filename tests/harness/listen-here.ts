/** `listen-here.ts ADDRESS COUNT`, started by `network.ts` in a namespace: listens and hands the sockets to its parent. */
import { createServer } from "node:net";

const [address, count] = process.argv.slice(2);
for (let left = Number(count); left > 0; left--) {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  await new Promise((resolve) => process.send?.("listening", server, {}, resolve));
}
process.disconnect?.();
process.exit();
