/**
 * Builds and packs the packages as they are published, and uses them from outside of the workspace. Their third-party
 * dependencies come from the npm registry or from npm's cache.
 *
 * `HOLDFAST_PACKAGES=all` (`pnpm packages`, and before each release) checks each manifest with publint and Are The Types Wrong, that no
 * other module can be imported, the declarations without those of a browser, and a page and its server in Chromium.
 */
import { spawn, spawnSync } from "node:child_process"
import { build } from "esbuild"
import * as Fs from "node:fs"
import { createRequire } from "node:module"
import * as Os from "node:os"
import * as Path from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, assert, beforeAll, describe, it, onTestFinished, vi } from "vitest"
import { oldestNode } from "../../packages/core/src/deployment/BuiltinModule.ts"
import { createClient } from "../../packages/http/src/client/index.ts"
import * as AssetFiles from "../../packages/http/src/players/AssetFiles.ts"
import * as Browser from "../../packages/testing/src/Browser.ts"
import * as Requires from "../../packages/testing/src/Requires.ts"
import * as HostApp from "../hosts/HostApp.ts"
import * as Visit from "../hosts/Visit.ts"
import * as Exports from "../packages/Exports.ts"
import * as Packages from "../packages/Packages.ts"

const isWhole = process.env["HOLDFAST_PACKAGES"] === "all"

/** In milliseconds: a compiler and a package manager run here, while other tests use the same machine. */
const timeout = 300_000

const directory = Fs.mkdtempSync(Path.join(Os.tmpdir(), "holdfast-packages-"))
afterAll(() => Fs.rmSync(directory, { recursive: true, force: true }), timeout)

const app = Path.join(directory, "app")
const service = Path.join(directory, "service")
const tarballs = Path.join(directory, "tarballs")
const inApp = (path: string): string => Path.join(app, path)
const write = (name: string, text: string): void => Fs.writeFileSync(inApp(name), text)

const runNode = (...args: ReadonlyArray<string>): Promise<string> => Packages.run(process.execPath, args, app)

/** Returns the version of a dependency that the workspace has installed. */
const installedVersion = (name: string, from: string): string => {
  const require = createRequire(Path.join(Packages.root, from, "package.json"))
  const manifest: { readonly version: string } = require(`${name}/package.json`)
  return manifest.version
}

/** `@holdfast/testing` is checked but not installed: it depends on all of vitest. */
const isInstalled = (tarball: string): boolean => !Path.basename(tarball).startsWith("holdfast-testing-")

/** Returns the modules of the installed packages that their manifests export or, with false, do not export. */
const modules = (exported: boolean): ReadonlyArray<string> =>
  Fs.readdirSync(inApp("node_modules/@holdfast")).flatMap((name) => {
    const { exports } = JSON.parse(Fs.readFileSync(inApp(`node_modules/@holdfast/${name}/package.json`), "utf8"))
    return (
      Fs.readdirSync(inApp(`node_modules/@holdfast/${name}/dist`), { encoding: "utf8", recursive: true })
        .filter((file) => file.endsWith(".js"))
        .map((file) => `./${file.slice(0, -3)}`)
        .filter((subpath) => Exports.isExported(exports, subpath) === exported)
        .map((subpath) => `@holdfast/${name}${subpath.slice(1)}`)
        // Importing the program runs it.
        .filter((specifier) => specifier !== "@holdfast/http/main")
    )
  })

/**
 * Returns the manifest of a program that depends on all packages. The overrides keep npm from requesting these packages
 * from its registry.
 */
const manifest = (packed: ReadonlyArray<string>) => ({
  name: "app",
  private: true,
  type: "module",
  dependencies: {
    ...Object.fromEntries(packed.map((tarball) => [Packages.nameOf(tarball), `file:${tarball}`])),
    effect: installedVersion("effect", "packages/core"),
    "@types/node": installedVersion("@types/node", "."),
    "@types/react": installedVersion("@types/react", "packages/client"),
    react: installedVersion("react", "packages/client")
  },
  overrides: Object.fromEntries(packed.map((tarball) => [Packages.nameOf(tarball), `$${Packages.nameOf(tarball)}`]))
})

/** Returns the manifest of a program that depends on @holdfast/http alone. */
const serviceManifest = (packed: ReadonlyArray<string>) => ({
  private: true,
  dependencies: Object.fromEntries(
    packed
      .filter((tarball) => Packages.nameOf(tarball) === "@holdfast/http")
      .map((tarball) => [Packages.nameOf(tarball), `file:${tarball}`])
  ),
  overrides: {
    ...Object.fromEntries(packed.map((tarball) => [Packages.nameOf(tarball), `file:${tarball}`])),
    "@holdfast/http": "$@holdfast/http",
    effect: installedVersion("effect", "packages/core")
  }
})

const install = (path: string): Promise<string> =>
  Packages.run("npm", ["install", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"], path)

/** Creates a database in a directory of an installed program: `fsck` creates none. */
const migrate = (path: string, dataDir: string): Promise<string> =>
  Packages.run(process.execPath, ["node_modules/.bin/holdfast", "migrate", "--data-dir", dataDir], path)

const tsconfig = {
  compilerOptions: {
    module: "NodeNext",
    target: "ES2024",
    lib: ["ES2024", "ESNext.Disposable", "DOM", "DOM.Iterable", "DOM.AsyncIterable"],
    types: ["node"],
    strict: true,
    exactOptionalPropertyTypes: true,
    // So that the declarations of the packages are checked too.
    skipLibCheck: false,
    outDir: "out",
    rootDir: "."
  },
  files: ["promises.ts", "effect.ts", "modules.ts", "client.ts"]
}

/** Returns the bytes of all files below a directory. */
const sizeOf = (path: string): number =>
  Fs.readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { name, parentPath }) => sum + Fs.statSync(Path.join(parentPath, name)).size, 0)

/** Compiles if the declarations of @holdfast/client, which the build writes out, are those of its sources. */
const sameClients = `
import * as client from "@holdfast/client"
import * as sources from "@holdfast/http/client"

export const createClient: typeof sources.createClient = client.createClient
export const createSourceClient: typeof client.createClient = sources.createClient
export const uploadTo: typeof sources.uploadTo = client.uploadTo
export const codes: ReadonlyArray<sources.ClientErrorCode> = [] as Array<client.ClientErrorCode>
export const inputs = (one: client.UploadInput, two: client.CreateMirrorInput): [sources.UploadInput, sources.CreateMirrorInput] =>
  [one, two]
`

/** A program that prints the URL of every module that importing a package loads. */
const tracing = `
import { registerHooks } from "node:module"
const urls = new Set()
registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context)
    urls.add(resolved.url)
    return resolved
  }
})
await import(process.argv[2])
console.log(JSON.stringify([...urls]))
`

/** Writes the URL of every module that a program loads to its standard error, and the modules of Node.js at a signal. */
const reporting = `
import { writeSync } from "node:fs"
import { registerHooks } from "node:module"
process.on("SIGUSR2", () => writeSync(2, "loaded: " + process.moduleLoadList.join() + "\\n"))
registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context)
    writeSync(2, resolved.url + "\\n")
    return resolved
  }
})
`

describe("published packages", () => {
  beforeAll(async () => {
    Fs.mkdirSync(app)
    Fs.mkdirSync(service)
    Fs.mkdirSync(tarballs)
    // In a process of its own: the compiler would keep some 300 MiB of the heap that the other tests share.
    await Packages.run(process.execPath, [Path.join(Packages.root, "scripts/build.ts")])
    const packed = await Packages.pack(tarballs)
    assert.lengthOf(packed, Packages.directories.length)
    write("package.json", JSON.stringify(manifest(packed.filter(isInstalled))))
    Fs.writeFileSync(Path.join(service, "package.json"), JSON.stringify(serviceManifest(packed)))
    await Promise.all([install(app), install(service)])
  }, timeout)

  it("@holdfast/http: installed alone → takes at most 40 MB besides effect, without players, clouds and browsers", () => {
    const modules = Path.join(service, "node_modules")
    assert.isAtMost(sizeOf(modules) - sizeOf(Path.join(modules, "effect")), 40_000_000)
    const names = ["dashjs", "hls.js", "playwright-core", "@aws-sdk", "@azure", "google-auth-library"]
    for (const name of [...names, "@holdfast/s3", "@holdfast/azure", "@holdfast/gcs", "@holdfast/ffmpeg"]) {
      assert.isFalse(Fs.existsSync(Path.join(modules, name)), name)
    }
  })

  it(
    "@holdfast/http: a setting needs a package that is not installed → exits with 2 and names both",
    async () => {
      await migrate(service, "data-s3")
      const fsck = ["node_modules/.bin/holdfast", "fsck", "--data-dir", "data-s3"]
      const env = { ...process.env, HOLDFAST_BLOBS: "s3", HOLDFAST_S3_BUCKET: "files" }
      const { status, stderr } = spawnSync(process.execPath, fsck, { cwd: service, encoding: "utf8", env })
      assert.strictEqual(
        stderr,
        "holdfast: HOLDFAST_BLOBS: is s3; the package @holdfast/s3 is not installed, run: npm install @holdfast/s3.\n"
      )
      assert.strictEqual(status, 2)
    },
    timeout
  )

  const closedPort = "http://127.0.0.1:1"
  it.each([
    ["s3", `--s3-bucket files --s3-region us-east-1 --s3-endpoint ${closedPort}`, /connect ECONNREFUSED/],
    [
      "azure",
      `--azure-container files --azure-account-name abc --azure-endpoint ${closedPort}/abc`,
      /connect ECONNREFUSED/
    ],
    ["gcs", `--gcs-bucket files --gcs-endpoint ${closedPort}`, /Could not load the default credentials/]
  ])(
    "@holdfast/%s: installed beside the service → the bundle of the service uses the library that came with it",
    async (blobs, settings, failure) => {
      await migrate(app, `data-${blobs}`)
      const fsck = ["node_modules/.bin/holdfast", "fsck", "--data-dir", `data-${blobs}`, "--blobs", blobs]
      const env = {
        ...process.env,
        HOLDFAST_AZURE_ACCOUNT_KEY: "a2V5",
        HOLDFAST_S3_ACCESS_KEY_ID: "id",
        HOLDFAST_S3_SECRET_ACCESS_KEY: "secret",
        // Credentials of this machine are neither looked for in its files nor requested.
        GOOGLE_APPLICATION_CREDENTIALS: "",
        HOME: app,
        METADATA_SERVER_DETECTION: "none"
      }
      const args = [...fsck, ...settings.split(" ")]
      const { status, stderr } = spawnSync(process.execPath, args, { cwd: app, encoding: "utf8", env })
      assert.match(stderr, failure)
      assert.strictEqual(status, 1)
    },
    timeout
  )

  it(
    "@holdfast/http: its program → one bundle with the licences of all that it contains",
    () => {
      const program = Path.join(service, "node_modules/@holdfast/http/dist/program")
      const licences = Fs.readFileSync(Path.join(program, "LICENSES.txt"), "utf8")
      for (const name of ["effect", "@effect/platform-node", "ipaddr.js"]) {
        assert.match(licences, new RegExp(`^${name}\\n\\n`, "m"))
      }
      assert.match(Fs.readFileSync(Path.join(program, "../Program.js"), "utf8"), /"\.\/program\/Main\.js"/)
    },
    timeout
  )

  it(
    "@holdfast/http: installed alone → loads the libraries of the players to serve them, and refuses mirrors to clouds",
    async () => {
      const args = ["--import", `data:text/javascript,${encodeURIComponent(reporting)}`, "node_modules/.bin/holdfast"]
      const child = spawn(process.execPath, [...args, "serve", "--port", "0"], { cwd: service })
      let loaded = ""
      child.stderr.on("data", (chunk) => (loaded += chunk))
      try {
        let output = ""
        // The address, and then the first key.
        const printed = /listens on (http:[^\s"]+)[^]*(hf_[\w-]{49})/
        for await (const chunk of child.stdout) {
          output += chunk
          if (printed.test(output)) break
        }
        const [, url = "", apiKey = ""] = printed.exec(output) ?? []
        child.kill("SIGUSR2")
        const builtins = await vi.waitFor(() => /^loaded: .*$/m.exec(loaded)?.[0] ?? assert.fail("no signal"), {
          timeout: 20_000
        })
        assert.match(builtins, /NativeModule http,/)
        // They take 17 MiB.
        assert.notMatch(builtins, /NativeModule (?:http2|https|tls|internal\/deps\/undici\/undici),/)
        const path = Path.join(service, "node_modules/@holdfast/http/dist/players/AssetFiles.js")
        const installed = (await import(pathToFileURL(path).href)) as typeof AssetFiles
        const { modules, script, share, shareModules } = installed.load()
        // Each page is one script.
        assert.deepStrictEqual([modules, shareModules], [[], []])
        const { dash, hls, licences, style } = AssetFiles.load()
        const [part = assert.fail("no identifiers")] = /[\w.(){};,=]{80}/.exec(dash.content) ?? []
        const loadedWithPlayers = () =>
          [...new Set(loaded.match(/^file:.*\/dist\/program\/.*$/gm))].filter((module) =>
            Fs.readFileSync(new URL(module), "utf8").includes(part)
          )
        assert.include(loaded, "/dist/program/")
        assert.deepStrictEqual(loadedWithPlayers(), [])
        for (const { content, name } of [dash, hls, licences, script, share, style]) {
          const response = await fetch(`${url}/api/v1/players/${name}`)
          assert.strictEqual(await response.text(), content)
        }
        assert.lengthOf(loadedWithPlayers(), 1)

        const client = createClient({ url, apiKey })
        const { id: tenantId } = await client.tenants.create({ name: "Acme", subdomain: "acme" })
        const { id: bucketId } = await client.buckets.create({ tenantId, name: "files" })
        const error: unknown = await client.mirrors
          .create({
            tenantId,
            bucketId,
            name: "copy",
            type: "S3",
            region: "us-east-1",
            bucketName: "copies",
            accessKeyId: "id",
            secretAccessKey: "secret"
          })
          .catch((reason: unknown) => reason)
        assert.match(String(error), /This deployment needs the package @holdfast\/s3/)
      } finally {
        child.kill("SIGKILL")
      }
    },
    timeout
  )

  it("published manifests: a dependency of another project → a range that is not exact", () => {
    for (const name of Fs.readdirSync(inApp("node_modules/@holdfast"))) {
      const { dependencies = {} } = JSON.parse(
        Fs.readFileSync(inApp(`node_modules/@holdfast/${name}/package.json`), "utf8")
      )
      for (const [dependency, range] of Object.entries(dependencies)) {
        assert.match(String(range), /^[~^]/, `@holdfast/${name} → ${dependency}`)
      }
    }
  })

  it.each(isWhole ? Packages.directories : [])(
    "%s: packed → passes publint and attw, and has a licence and a README",
    async (path) => {
      const { name } = JSON.parse(Fs.readFileSync(Path.join(Packages.root, path, "package.json"), "utf8"))
      const prefix = `${String(name).slice(1).replace("/", "-")}-`
      const tarball = Fs.readdirSync(tarballs).find((file) => file.startsWith(prefix)) ?? assert.fail(`no ${prefix}`)
      const packed = Path.join(tarballs, tarball)
      await Packages.run(Packages.bin("publint"), ["run", packed, "--strict"])
      await Packages.run(Packages.bin("attw"), [packed, "--profile", "esm-only", "--no-emoji"])
      const manifest = JSON.parse(Fs.readFileSync(Path.join(Packages.root, path, "package.json"), "utf8"))
      for (const field of ["author", "description", "keywords", "license"]) assert.property(manifest, field)
      for (const file of ["LICENSE", "README.md"]) assert.isTrue(Fs.existsSync(Path.join(Packages.root, path, file)))
    },
    timeout
  )

  it(
    "a program outside of the workspace: imports every module → compiles and runs",
    async () => {
      for (const name of ["promises.ts", "effect.ts"]) {
        Fs.copyFileSync(Path.join(Packages.root, "examples/library/src", name), inApp(name))
      }
      const specifiers = modules(true)
      assert.isAbove(specifiers.length, 100)
      const imports = specifiers.map((specifier, index) => `import * as module${index} from "${specifier}"`)
      const list = specifiers.map((_, index) => `module${index}`)
      write("client.ts", sameClients)
      write("modules.ts", `${imports.join("\n")}\nprocess.stdout.write(String([${list.join(", ")}].length))\n`)
      write("tsconfig.json", JSON.stringify(tsconfig))
      await Packages.run(Packages.bin("tsc"), ["-p", app])

      const outputs = { promises: "200 text/plain; charset=utf-8 Hello\n", effect: "Hello\n" }
      for (const [program, output] of Object.entries(outputs)) {
        assert.strictEqual(await runNode(`out/${program}.js`), output)
        Fs.rmSync(inApp("data"), { recursive: true })
      }
      assert.strictEqual(await runNode("out/modules.js"), String(specifiers.length))
    },
    timeout
  )

  if (isWhole) {
    it(
      "a program outside of the workspace: compiled without DOM → errors in the declarations of effect alone",
      () => {
        // The elements and hooks of the client are for pages.
        const specifiers = modules(true).filter((one) => !/^@holdfast\/client\/(?:elements|react)$/.test(one))
        write("node.ts", specifiers.map((one, index) => `export * as module${index} from "${one}"`).join("\n"))
        const { compilerOptions } = tsconfig
        const lib = ["ES2024", "ESNext.Disposable"]
        write(
          "node.json",
          JSON.stringify({ compilerOptions: { ...compilerOptions, lib, noEmit: true }, files: ["node.ts"] })
        )
        const { stdout } = spawnSync(Packages.bin("tsc"), ["-p", "node.json", "--pretty", "false"], {
          cwd: app,
          encoding: "utf8"
        })
        const places = stdout.split("\n").flatMap((line) => /^(\S+)\(\d+,\d+\): error/.exec(line)?.[1] ?? [])
        const packages = places.map((path) => path.split("/").slice(0, 2).join("/"))
        assert.deepStrictEqual([...new Set(packages)], ["node_modules/effect"])
      },
      timeout
    )

    it(
      "a program outside of the workspace: imports a module that is not exported → ERR_PACKAGE_PATH_NOT_EXPORTED",
      async () => {
        const specifiers = modules(false)
        assert.isAbove(specifiers.length, 200)
        write(
          "internal.js",
          `const codes = await Promise.all(
            ${JSON.stringify(specifiers)}.map((one) => import(one).then(() => one, (error) => error.code)))
          process.stdout.write([...new Set(codes)].join(" "))\n`
        )
        assert.strictEqual(await runNode("internal.js"), "ERR_PACKAGE_PATH_NOT_EXPORTED")
      },
      timeout
    )
  }

  it.each(["esm", "cjs"] as const)(
    "a bundle of esbuild, %s: outside of the packages → reads on a thread, mounts the API",
    async (format) => {
      write(
        "bundled.js",
        `import { open } from "@holdfast/core"
        import { fs } from "@holdfast/fs"
        import { toWebHandler } from "@holdfast/http"
        import { sqlite } from "@holdfast/sqlite"
        open({ metadata: sqlite({ file: "bundled/holdfast.sqlite" }), blobs: fs({ directory: "bundled" }) }).then(async (holdfast) => {
          const ada = holdfast.account("ada@example.com")
          const { id: tenantId } = await holdfast.tenants.create(ada, { name: "Acme", subdomain: "acme" })
          const handler = toWebHandler(holdfast, { authenticate: () => ada })
          const response = await handler(new Request("http://localhost/api/v1/tenants/" + tenantId + "/buckets"))
          process.stdout.write(String(response.status))
          await holdfast.close()
        })`
      )
      const outfile = inApp(`bundled.${format === "esm" ? "mjs" : "cjs"}`)
      // A dependency is CommonJS, and esbuild gives an ES module no `require`.
      const js =
        'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);'
      await build({
        entryPoints: [inApp("bundled.js")],
        outfile,
        banner: format === "esm" ? { js } : {},
        format,
        bundle: true,
        platform: "node",
        logLevel: "error"
      })
      // Nothing but the bundle, so that it cannot load a file of the packages.
      const alone = Path.join(directory, Path.basename(outfile))
      Fs.renameSync(outfile, alone)
      assert.strictEqual(await runNode(alone), "200")
      Fs.rmSync(inApp("bundled"), { recursive: true })
    },
    timeout
  )

  if (isWhole) {
    Requires.requires(Browser.missing).describe("a page and its server, outside of the packages", () => {
      it(
        "Chromium uploads, also in parts, and views by links → no API key in what it sent, received or stored",
        async () => {
          for (const name of ["Browser.js", "NodeHttp.js", "Store.js"]) {
            Fs.copyFileSync(Path.join(Packages.root, "scripts/hosts/apps", name), inApp(name))
          }
          const options = { bundle: true, format: "esm", platform: "browser", logLevel: "error" } as const
          await build({ ...options, entryPoints: [inApp("Browser.js")], outfile: inApp("out/page/page.js") })
          const browser = await Browser.launchChromium()
          onTestFinished(() => browser.close())
          const host = HostApp.open(directory)
          await host.serve([process.execPath, "NodeHttp.js"], (served) => Visit.check(browser, served))
        },
        timeout
      )
    })
  }

  it("Node.js: the version that the manifests need → the one that an older one reports", () => {
    const { engines } = JSON.parse(Fs.readFileSync(inApp("node_modules/@holdfast/http/package.json"), "utf8"))
    assert.deepStrictEqual(engines, { node: `>=${oldestNode}` })
  })

  it(
    "the command line: installed → prints its version and migrates a database",
    async () => {
      const { version }: { readonly version: string } = JSON.parse(
        Fs.readFileSync(inApp("node_modules/@holdfast/http/package.json"), "utf8")
      )
      assert.strictEqual(await Packages.run(inApp("node_modules/.bin/holdfast"), ["--version"], app), `${version}\n`)
      assert.match(await runNode("node_modules/.bin/holdfast", "migrate", "--data-dir", "data"), /^Migrated: 1 /)
    },
    timeout
  )

  it("@holdfast/client: installed → no dependency, and declarations that import nothing", () => {
    const client = inApp("node_modules/@holdfast/client")
    const manifest: Readonly<Record<string, unknown>> = JSON.parse(Fs.readFileSync(`${client}/package.json`, "utf8"))
    assert.notProperty(manifest, "dependencies")
    assert.deepStrictEqual(manifest["peerDependenciesMeta"], { react: { optional: true } })
    for (const name of ["index", "react", "elements", "webhooks"]) {
      assert.notMatch(Fs.readFileSync(`${client}/dist/${name}.d.ts`, "utf8"), /from "[^.]|import\(/)
    }
  })

  it(
    "@holdfast/core: imported → loads no package but effect",
    async () => {
      const core: Readonly<Record<string, unknown>> = JSON.parse(
        Fs.readFileSync(inApp("node_modules/@holdfast/core/package.json"), "utf8")
      )
      assert.notProperty(core, "dependencies")
      assert.notProperty(core, "optionalDependencies")
      assert.deepStrictEqual(Object.keys(Object(core["peerDependencies"])), ["effect"])

      write("trace.mjs", tracing)
      const urls: ReadonlyArray<string> = JSON.parse(await runNode("trace.mjs", "@holdfast/core"))
      const modulesDirectory = `${pathToFileURL(Fs.realpathSync(app)).href}/node_modules/`
      const others = urls.filter(
        (url) => !["@holdfast/core/", "effect/"].some((name) => url.startsWith(modulesDirectory + name))
      )
      assert.isAbove(urls.length, 50)
      assert.deepStrictEqual(others, [])
    },
    timeout
  )
})
