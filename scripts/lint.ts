/**
 * `node scripts/lint.ts [words] [folders] [layers] [pages] [exports]`: the checks of `pnpm lint` that no linter has. Prints every
 * finding. The exit status is 0 when there is none, otherwise 1.
 */
import * as Architecture from "./checks/Architecture.ts"
import * as Finding from "./checks/Finding.ts"
import * as Folders from "./checks/Folders.ts"
import * as Layers from "./checks/Layers.ts"
import * as Pages from "./checks/Pages.ts"
import * as PublicSurface from "./checks/PublicSurface.ts"
import * as SourceFiles from "./checks/SourceFiles.ts"
import * as Words from "./checks/Words.ts"
import * as Packages from "./packages/Packages.ts"

const paths = SourceFiles.listBelow("")
const load = (wanted: (path: string) => boolean) =>
  paths.filter(wanted).map((path) => ({ path, text: SourceFiles.read(path) }))

const checks: Readonly<Record<string, () => ReadonlyArray<Finding.Finding>>> = {
  words: () => Words.check(load(Words.isChecked)),
  folders: () => Folders.check(paths),
  pages: () =>
    Pages.check(
      load((path) => path.endsWith(".md")),
      paths
    ),
  layers: () =>
    Architecture.layerings.flatMap((layering) =>
      Layers.check(
        layering,
        load((path) => Layers.isIn(layering, path))
      )
    ),
  exports: () =>
    PublicSurface.check(
      Packages.directories.map((directory) => ({
        directory,
        manifest: JSON.parse(SourceFiles.read(`${directory}/package.json`)),
        modules: Packages.modules(directory)
      }))
    )
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(checks)
const findings = names.flatMap((name) => {
  const check = checks[name]
  if (check === undefined) throw new Error(`There is no check ${name}, only ${Object.keys(checks).join(", ")}.`)
  return check()
})
process.stdout.write(findings.map((finding) => `${Finding.format(finding)}\n`).join(""))
process.exitCode = findings.length === 0 ? 0 : 1
