import { execFileSync, spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import * as Packages from "../packages/Packages.ts"
import * as Readmes from "../packages/Readmes.ts"

const repository = "https://git.example.com/acme/holdfast"

const makeDirectory = (): string => {
  const directory = Fs.mkdtempSync(Path.join(Os.tmpdir(), "holdfast-repository-"))
  onTestFinished(() => Fs.rmSync(directory, { recursive: true }))
  return directory
}

describe("address of the repository", () => {
  it("manifest of the root has it → so has each packed manifest, with its directory", async () => {
    const root = makeDirectory()
    const write = (path: string, content: object) => {
      Fs.mkdirSync(Path.dirname(Path.join(root, path)), { recursive: true })
      Fs.writeFileSync(Path.join(root, path), JSON.stringify(content))
    }
    write("package.json", { name: "root", private: true, repository })
    write("pnpm-workspace.yaml", { packages: ["packages/*", "packages/adapters/*"] })
    for (const name of ["core", "adapters/fs"]) {
      write(`packages/${name}/package.json`, { name: `@acme/${Path.basename(name)}`, version: "1.0.0" })
    }
    Fs.copyFileSync(Path.join(Packages.root, ".pnpmfile.mjs"), Path.join(root, ".pnpmfile.mjs"))
    await Packages.run(
      Packages.bin("pnpm"),
      ["-r", "--filter", "./packages/**", "pack", "--pack-destination", root],
      root
    )
    for (const [name, directory] of [
      ["core", "packages/core"],
      ["fs", "packages/adapters/fs"]
    ]) {
      const tarball = Path.join(root, `acme-${name}-1.0.0.tgz`)
      const manifest = JSON.parse(execFileSync("tar", ["-xOf", tarball, "package/package.json"], { encoding: "utf8" }))
      assert.deepInclude(manifest, {
        repository: { type: "git", url: `git+${repository}.git`, directory },
        homepage: `${repository}/tree/main/${directory}#readme`,
        bugs: { url: `${repository}/issues` }
      })
    }
  })

  it.each(Packages.directories)(
    "%s, README as it is published → every link is absolute, to a file that exists",
    (directory) => {
      const text = Fs.readFileSync(Path.join(Packages.root, directory, "README.md"), "utf8")
      const published = Readmes.withAbsoluteLinks(text, repository, directory)
      const links = [...published.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = ""]) =>
        link.startsWith("#") ? [] : [link]
      )
      for (const link of links) {
        assert.match(link, /^https:\/\//)
        if (!link.startsWith(repository)) continue
        const path = new URL(link).pathname.replace(`${new URL(repository).pathname}/blob/main/`, "")
        assert.isTrue(Fs.existsSync(Path.join(Packages.root, path)), link)
      }
      assert.strictEqual(Readmes.withAbsoluteLinks(published, repository, directory), published)
    }
  )

  it("links of a README: addresses and anchors → as they are; outside of the repository → refused", () => {
    const text = "[a](https://example.com/) [b](#here) [c](mailto:a@example.com) [d](../../docs/d.md) [e](../http#e)"
    const published = `[a](https://example.com/) [b](#here) [c](mailto:a@example.com) [d](${repository}/blob/main/docs/d.md) [e](${repository}/blob/main/packages/http#e)`
    assert.strictEqual(Readmes.withAbsoluteLinks(text, repository, "packages/core"), published)
    assert.throws(
      () => Readmes.withAbsoluteLinks("[a](../../../a.md)", repository, "packages/core"),
      /outside of the repository/
    )
  })

  it("READMEs while they are packed → absolute links; afterwards, also after an error → as before", () => {
    const root = makeDirectory()
    const file = Path.join(root, "packages/core/README.md")
    Fs.mkdirSync(Path.dirname(file), { recursive: true })
    Fs.writeFileSync(file, "[a](../../docs/a.md)")
    const packed = { root, repository, directories: ["packages/core"] }
    assert.strictEqual(
      Readmes.whileAbsolute(packed, () => Fs.readFileSync(file, "utf8")),
      `[a](${repository}/blob/main/docs/a.md)`
    )
    assert.throws(() => Readmes.whileAbsolute(packed, () => assert.fail("not published")), /not published/)
    assert.strictEqual(Fs.readFileSync(file, "utf8"), "[a](../../docs/a.md)")
  })

  it.each([
    ["none", {}],
    ["one that ends with .git, which addresses of pages do not", { repository: `${repository}.git` }]
  ])("manifest of the root has %s → the release is refused with the field to set", (_, manifest) => {
    const root = makeDirectory()
    Fs.writeFileSync(Path.join(root, "package.json"), JSON.stringify(manifest))
    const script = Path.join(Packages.root, "scripts/release.ts")
    const { status, stderr } = spawnSync(process.execPath, [script], { cwd: root, encoding: "utf8" })
    assert.include(stderr, 'Set "repository" in package.json')
    assert.strictEqual(status, 1)
  })
})
