/**
 * `pnpm s3-tests SUITE [name…]`: runs the tests of ceph/s3-tests that `scripts/s3/expected.txt` lists against a service of
 * this repository, and compares the results with that file. SUITE is a checkout of the suite, which needs Python with boto3, munch,
 * isodate, pytz, httplib2, lxml, requests, PyYAML and pytest. With names, runs only the tests whose names contain one. The variable
 * `PYTHONPATH` may name a directory with another version of boto3: the list was recorded with that of Debian 13, which also runs with the
 * Python of Debian 12 (`apt-get download` and `dpkg-deb -x` of python3-boto3, python3-botocore and python3-s3transfer).
 *
 * Exits with 1 if a test passes that is expected to fail, or the reverse: then the file has to change with the code.
 */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import * as Suite from "./s3/Suite.ts"

const print = (line: string): void => void process.stdout.write(`${line}\n`)

interface Expectation {
  readonly test: string
  readonly passes: boolean
}

const listed = Fs.readFileSync(fileURLToPath(new URL("s3/expected.txt", import.meta.url)), "utf8")
const expectations = listed.split("\n").flatMap((line): ReadonlyArray<Expectation> => {
  const [state, test] = line.split(/\s+/)
  return test === undefined || (state !== "pass" && state !== "fail") ? [] : [{ test, passes: state === "pass" }]
})

const [suite, ...names] = process.argv.slice(2)
if (suite === undefined) {
  print("usage: pnpm s3-tests SUITE [name…]")
  process.exit(1)
}
const wanted = expectations.filter(({ test }) => names.length === 0 || names.some((name) => test.includes(name)))
const directory = Fs.mkdtempSync(Path.join(Os.tmpdir(), "holdfast-s3-tests-"))
const outcomes = await Suite.run(
  suite,
  directory,
  wanted.map(({ test }) => test)
)
const passed = [...outcomes.values()].filter((outcome) => outcome === "passed").length
let changed = 0
for (const { passes, test } of wanted) {
  const outcome = outcomes.get(test.split("::")[1] ?? "") ?? "not run"
  if ((outcome === "passed") === passes) continue
  changed++
  print(`${outcome.padEnd(8)} ${test}, expected to ${passes ? "pass" : "fail"}`)
}
print(`${passed} of ${wanted.length} passed, ${changed} not as expected. Logs: ${directory}`)
if (changed > 0) process.exitCode = 1
