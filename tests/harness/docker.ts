import { spawn } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { basename, join } from "node:path";
import type { Bench } from "./bench.ts";
import type { Answer, Order } from "./docker-namespace.ts";
import { bareEnvironment, run } from "./processes.ts";
import { until } from "./until.ts";

/** A Docker engine of one test, with processes, mounts and a network of its own: several stand beside each other. */
export interface TestDocker {
  readonly socket: string;
  /** What a process needs in its environment to use this engine. */
  readonly env: Readonly<Record<string, string>>;
  /** A program with this engine's environment (`docker`, `docker-compose`): what it wrote, without the last line's end. */
  run(program: string, ...args: string[]): Promise<string>;
  /**
   * Makes an image without a registry: a web server on port 80 whose /version is the image's name. It is unhealthy while
   * its environment says HEALTH=fail or while it has a file /sick.
   */
  image(name: string): Promise<void>;
  /** What a published port answers; undefined when it does not. */
  get(port: number, path: string): Promise<string | undefined>;
  /** Starts an image registry beside the engine, at 127.0.0.1 and for one user, and brings images to it under its name. */
  registry(
    port: number,
    user: string,
    password: string,
    images: readonly { readonly from: string; readonly as: string }[],
  ): Promise<void>;
  /** kill -9 of the engine alone: its containers go on until it starts again. */
  kill(): Promise<void>;
  /** Starts it again and waits until it answers. */
  start(): Promise<void>;
}

/** Needs the component `docker`. */
export async function startDocker(bench: Bench): Promise<TestDocker> {
  const folder = bench.folder("reeve-docker-");
  const socket = join(folder, "docker.sock");
  const env = {
    PATH: `${bareEnvironment.PATH}:/usr/sbin:/sbin`,
    DOCKER_HOST: `unix://${socket}`,
    DOCKER_CONFIG: join(folder, "config"),
    HOME: folder,
  };
  const { order, said } = openNamespace(bench, folder, env);
  const docker: TestDocker = {
    socket,
    env,
    async run(program, ...args) {
      const running = run(program, args, { cwd: folder, env });
      const { code } = await running.ended;
      if (code !== 0) throw new Error(`${program} ${args.join(" ")}: ${running.stderr()}${running.stdout()}`);
      return running.stdout().trimEnd();
    },
    image: (name) => makeImage(docker, folder, name),
    get: (port, path) => order({ do: "get", port, path }).catch(() => undefined),
    async registry(port, user, password, images) {
      await order({ do: "registry", port, user, password });
      const place = `127.0.0.1:${port}`;
      await docker.run("docker", "login", "--username", user, "--password", password, place);
      for (const { from, as } of images) {
        await docker.run("docker", "tag", from, `${place}/${as}`);
        await docker.run("docker", "push", "--quiet", `${place}/${as}`);
        await docker.run("docker", "rmi", `${place}/${as}`);
      }
      await docker.run("docker", "logout", place);
    },
    kill: async () => void (await order({ do: "kill" })),
    async start() {
      // One that was killed has left containerd behind; a new engine takes a moment to take it over, or gives up.
      const answered = async () => {
        await order({ do: "start" });
        return ping(socket);
      };
      await until("Docker to answer", answered, 60_000).catch((error: unknown) => {
        throw new Error(`Docker did not start: ${said()}`, { cause: error });
      });
    },
  };
  await docker.start();
  return docker;
}

type Command = Order extends infer One ? (One extends Order ? Omit<One, "id"> : never) : never;

function openNamespace(bench: Bench, folder: string, env: Readonly<Record<string, string>>) {
  const child = spawn(
    "unshare",
    [
      ...["--fork", "--pid", "--mount", "--mount-proc", "--net", "--kill-child", "tini", "--"],
      ...[process.execPath, join(import.meta.dirname, "docker-namespace.ts"), folder, basename(folder)],
    ],
    // Not in our group: what breaks off a run must not end it before it has cleaned up.
    { cwd: "/", env, detached: true, stdio: ["ignore", "ignore", "pipe", "ipc"] },
  );
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  bench.keep({
    async end() {
      if (child.connected) child.disconnect();
      await ended;
    },
  });
  const waiting = new Map<number, (answer: Answer) => void>();
  child.on("message", (answer: Answer) => {
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  child.once("exit", () => {
    for (const [id, tell] of waiting) tell({ id, error: `the engine's namespace has ended: ${said}` });
  });
  let orders = 0;
  const order = (command: Command) =>
    new Promise<string | undefined>((resolve, reject) => {
      const id = orders++;
      waiting.set(id, ({ error, text }) => (error === undefined ? resolve(text) : reject(new Error(error))));
      child.send({ id, ...command } as Order, (error) => error && reject(error));
    });
  return { order, said: () => said };
}

function ping(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ socketPath, path: "/_ping", timeout: 5000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.on("error", () => resolve(false));
    asked.on("timeout", () => asked.destroy());
    asked.end();
  });
}

const healthCheck = [
  "HEALTHCHECK --interval=500ms --timeout=10s --retries=2 CMD",
  '[ "$HEALTH" != fail ] && [ ! -e /sick ] && wget -q -O /dev/null http://127.0.0.1/version',
].join(" ");

async function makeImage(docker: TestDocker, folder: string, name: string): Promise<void> {
  const tree = join(folder, "images", name);
  for (const part of ["bin", "www", "tmp"]) mkdirSync(join(tree, part), { recursive: true });
  cpSync("/bin/busybox", join(tree, "bin", "busybox"), { dereference: true });
  for (const tool of ["sh", "httpd", "wget", "sleep", "cat", "touch", "rm", "ls", "echo", "env", "kill"])
    symlinkSync("busybox", join(tree, "bin", tool));
  writeFileSync(join(tree, "www", "version"), name);
  const archive = `${tree}.tar`;
  await docker.run("tar", "-C", tree, "-cf", archive, ".");
  const changes = [
    // The first process of a container hears no signal that it has not asked for; httpd asks for none.
    `CMD trap "exit 0" TERM; httpd -f -p 80 -h /www & wait`,
    "ENV PATH=/bin",
    "EXPOSE 80",
    healthCheck,
  ];
  await docker.run("docker", "import", ...changes.flatMap((one) => ["--change", one]), archive, name);
}
