/**
 * The physical limit of reads: a plain HTTP server that answers each GET with one SELECT by an index, of the same rows on the same
 * Postgres. What it loses in a flood is what the machine takes from every process, whatever it does.
 */
import { createServer } from "node:http";
import pg from "pg";

const select = {
  name: "one",
  text: "select spec from resource where kind = 'ServiceAccount' and scope = $1 and name = $2",
};

function listen({ databaseUrl }) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  const server = createServer((request, response) => {
    const [, , , , organization, , project, , name] = request.url.split("/");
    pool.query({ ...select, values: [`${organization}/${project}`, name] }).then(
      ({ rows: [row] }) => answer(response, row === undefined ? 404 : 200, JSON.stringify(row ?? {})),
      (error) => answer(response, 500, String(error)),
    );
  });
  return new Promise((done) => {
    server.listen(0, "127.0.0.1", () => done({ port: server.address().port }));
  });
}

function answer(response, status, text) {
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
  });
  response.end(text);
}

process.on("message", ({ input }) =>
  listen(input).then(
    (result) => process.send({ result }),
    (error) => process.send({ problem: String(error) }),
  ),
);
process.on("disconnect", () => process.exit());
process.on("SIGINT", () => {});
