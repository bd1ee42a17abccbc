/**
 * Real proxies in front of a service: nginx, HAProxy and Varnish.
 */
import * as Requires from "@holdfast/testing/Requires"
import * as FreePort from "@holdfast/testing/servers/FreePort"
import * as Effect from "effect/Effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs/promises"
import { existsSync } from "node:fs"
import { connect } from "node:net"
import * as Os from "node:os"
import * as Path from "node:path"
import { onTestFinished, vi } from "vitest"

/** Debian installs servers into a directory that is not in the `PATH` of every user. */
const programPath = (name: string): string => (existsSync(`/usr/sbin/${name}`) ? `/usr/sbin/${name}` : name)

const nginx = programPath("nginx")
const varnishd = programPath("varnishd")
const haproxy = programPath("haproxy")

/** Why nginx cannot run; undefined when it can. */
export const nginxMissing: string | undefined = Requires.command(nginx, "-v")
/** Why HAProxy cannot run; undefined when it can. */
export const haproxyMissing: string | undefined = Requires.command(haproxy, "-v")
/** Why Varnish cannot run; undefined when it can. */
export const varnishMissing: string | undefined = Requires.command(varnishd, "-V")

export interface Proxy {
  readonly url: string
  /** A directory of the proxy, which is removed when the test ends. */
  readonly directory: string
}

export const freePort = (): Promise<number> => Effect.runPromise(FreePort.freePort)

const canConnect = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => resolve(void socket.destroy()))
    socket.once("error", reject)
  })

/** Waits until the process listens; kills it when the test ends. */
const run = async (
  child: ChildProcess,
  { directory, port }: { readonly directory: string; readonly port: number }
): Promise<Proxy> => {
  let errors = ""
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (errors += text))
  const exited = once(child, "exit")
  onTestFinished(async () => {
    child.kill("SIGTERM")
    await exited
    await Fs.rm(directory, { recursive: true, force: true })
  })
  await vi.waitFor(
    async () => {
      if (child.exitCode !== null) throw new Error(`The proxy exited: ${errors}`)
      await canConnect(port)
    },
    { timeout: 20_000, interval: 20 }
  )
  return { url: `http://127.0.0.1:${port}`, directory }
}

const makeDirectory = (): Promise<string> => Fs.mkdtemp(Path.join(Os.tmpdir(), "holdfast-proxy-"))

/** Returns the first block of a language in a page of the documentation. */
const blockOf = async (page: string, language: string): Promise<string> => {
  const path = new URL(`../../../../../docs/${page}`, import.meta.url)
  const [, block = ""] =
    new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(await Fs.readFile(path, "utf8")) ?? []
  return block
}

const temporaryPaths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]

/**
 * Starts nginx with the configuration of `docs/scaling.md`, in front of the service at `to`, or of its nodes.
 *
 * @param locations Further locations of the server.
 * @param settings Further settings of the location that the page documents. `proxy_buffering on;` replaces the documented `off`.
 */
export const startNginx = async (
  to: string | ReadonlyArray<string>,
  { http = "", locations = "", settings = "" }: { readonly [Part in "http" | "locations" | "settings"]?: string } = {}
): Promise<Proxy> => {
  const [directory, port, documented] = [await makeDirectory(), await freePort(), await blockOf("scaling.md", "nginx")]
  const [, options = ""] = /^ *server \d[\d.:]*( .*)?;$/m.exec(documented) ?? []
  const block = documented
    .replaceAll(/^ *server \d[\d.:]*( .*)?;\n/gm, "")
    .replace(
      "upstream holdfast {",
      `upstream holdfast {\n${[to]
        .flat()
        .map((url) => `server ${new URL(url).host} ${options};`)
        .join("\n")}`
    )
    .replace("listen 443 ssl;", `listen 127.0.0.1:${port};\n${locations}`)
    .replace(settings.includes("proxy_buffering on;") ? "proxy_buffering off;" : "", "")
    .replace(/^ *location ~ .*\n/m, (location) => `${location}${settings}\n`)
    .replaceAll("/var/log/nginx/", `${directory}/`)
  const configuration = `
    daemon off;
    pid ${directory}/nginx.pid;
    error_log stderr;
    worker_processes 1;
    ${process.getuid?.() === 0 ? "user root;" : ""}
    events { worker_connections 1024; }
    http {
      access_log off;
      ${temporaryPaths.map((name) => `${name}_temp_path ${directory}/${name};`).join("\n")}
      ${http}
      ${block}
    }`
  await Fs.writeFile(Path.join(directory, "nginx.conf"), configuration)
  const args = ["-p", directory, "-e", "stderr", "-c", Path.join(directory, "nginx.conf")]
  return run(spawn(nginx, args, { stdio: ["ignore", "ignore", "pipe"] }), { directory, port })
}

/** Starts HAProxy with the configuration of `docs/scaling.md`, in front of these nodes. */
export const startHaproxy = async (
  nodes: ReadonlyArray<{ readonly url: string; readonly operatorPort: number }>
): Promise<Proxy> => {
  const [directory, port, documented] = [
    await makeDirectory(),
    await freePort(),
    await blockOf("scaling.md", "haproxy")
  ]
  const servers = nodes.map(
    ({ operatorPort, url }, index) => `  server node${index} ${new URL(url).host} port ${operatorPort}`
  )
  const configuration = documented
    .replace(/bind .*/, `bind 127.0.0.1:${port}`)
    .replace(" port 8081", "")
    .replaceAll(/^ *server \w+ \d.*\n/gm, "")
  await Fs.writeFile(Path.join(directory, "haproxy.cfg"), `${configuration}${servers.join("\n")}\n`)
  const args = ["-db", "-f", Path.join(directory, "haproxy.cfg")]
  return run(spawn(haproxy, args, { stdio: ["ignore", "ignore", "pipe"] }), { directory, port })
}

/** Starts Varnish with its built-in rules, in front of the service at `to`. */
export const startVarnish = async (to: string): Promise<Proxy> => {
  const [directory, port] = [await makeDirectory(), await freePort()]
  const { hostname, port: toPort } = new URL(to)
  const rules = `vcl 4.1;\nbackend default { .host = "${hostname}"; .port = "${toPort}"; }\n`
  await Fs.writeFile(Path.join(directory, "rules.vcl"), rules)
  const args = ["-F", "-j", "none", "-f", Path.join(directory, "rules.vcl"), "-n", Path.join(directory, "work")]
  const child = spawn(varnishd, [...args, "-a", `127.0.0.1:${port}`, "-s", "malloc,16m"], {
    stdio: ["ignore", "ignore", "pipe"]
  })
  return run(child, { directory, port })
}
