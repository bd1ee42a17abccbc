/**
 * The types of the Promise API as editors show them.
 */
import { API, type Type } from "typescript/unstable/sync"
import { fileURLToPath } from "node:url"
import { afterAll, assert, expect, it } from "vitest"

const core = fileURLToPath(new URL("../../packages/core/", import.meta.url))
const api = new API({ cwd: core })
afterAll(() => api.close())

const project = api.updateSnapshot({ openProjects: [`${core}tsconfig.json`] }).getProjects()[0]
assert.isDefined(project)
const { checker, program } = project

/** Returns the exported types of the package by name. */
const exportedTypes = (): ReadonlyMap<string, Type> => {
  const source = program.getSourceFile(`${core}src/index.ts`)
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source)
  assert.isDefined(module)
  return new Map(
    checker
      .getExportsOfModule(module)
      .map((symbol) => [symbol.name, checker.getDeclaredTypeOfSymbol(checker.getAliasedSymbol(symbol))])
  )
}

const types = exportedTypes()

const propertiesOf = (name: string) => {
  const type = types.get(name)
  assert.isDefined(type, name)
  return checker.getPropertiesOfType(type).map((property) => {
    const propertyType = checker.getTypeOfSymbol(property)
    assert.isDefined(propertyType)
    return {
      name: property.name,
      type: checker.typeToString(propertyType),
      documentation: property.getDocumentationComment(checker)
    }
  })
}

const fieldsOf = (name: string) => propertiesOf(name).map(({ name, type }) => `${name}: ${type}`)

it("FileRecord, FilePage, BucketRecord: shown by an editor → named, flat types", () => {
  expect(fieldsOf("FileRecord")).toEqual([
    "id: string",
    "name: string",
    "path: string",
    "alias: string | null",
    "contentType: string | null",
    "etag: string | null",
    "checksum: { readonly sha256: string; } | null",
    "version: number",
    'state: "READY" | "RESERVED"',
    "damaged: boolean",
    "metadata: { readonly [x: string]: Json; }",
    "headers: readonly HeaderRecord[]",
    "createdAt: Time",
    "updatedAt: Time",
    "expands: FileExpands | undefined"
  ])
  expect(fieldsOf("FilePage")).toEqual([
    "items: readonly FileRecord<Time>[]",
    "folders: readonly string[]",
    "nextCursor: string | null"
  ])
  expect(fieldsOf("BucketRecord")).toEqual([
    "id: string",
    "name: string",
    "maxBytes: number | null",
    "maxFiles: number | null",
    "maxFileBytes: number | null",
    "allowedTypes: readonly string[] | null",
    'visibility: "private" | "public"',
    "shares: ShareRules",
    "createdAt: Time",
    "updatedAt: Time"
  ])
})

it("records: shown by an editor → no type is abridged, or has an internal name", () => {
  const records = [...types.keys()].filter((name) => /(?:Record|Page)$/.test(name))
  expect(records.length).toBeGreaterThan(15)
  for (const record of records) {
    for (const field of fieldsOf(record)) expect(field, record).not.toMatch(/\.\.\.|WithTimes|\.Type\b/)
  }
})

it("options and inputs: each property → has documentation", () => {
  // The fields of a mirror follow from its type, in the schemas of core/src/mirrors/targets/types.
  const inputs = [...types.keys()].filter(
    (name) => /(?:Input|Options|Ref|PageRequest)$/.test(name) && !/(?:Create|Update)Mirror/.test(name)
  )
  expect(inputs.length).toBeGreaterThan(40)
  const undocumented = [...inputs, "SettingsInput", "Quota"].flatMap((input) =>
    propertiesOf(input).flatMap(({ documentation, name }) => (documentation === "" ? [`${input}.${name}`] : []))
  )
  expect(undocumented).toEqual([])
})
