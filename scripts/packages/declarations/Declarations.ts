/**
 * Writes the declarations of a package whose modules import types of other packages. Each type is written out, so that the
 * declarations need none of these packages, and an editor shows the fields of each record.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import ts from "typescript-api"
import * as Printer from "./Printer.ts"

const options: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2024,
  lib: [
    "lib.es2024.d.ts",
    "lib.dom.d.ts",
    "lib.dom.iterable.d.ts",
    "lib.dom.asynciterable.d.ts",
    "lib.esnext.disposable.d.ts"
  ],
  strict: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
  types: []
}

interface Module {
  readonly name: string
  readonly exports: ReadonlyArray<ts.Symbol>
}

const resolve = (checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol

/** Returns the exports of a module; without namespaces, which are clients for another platform. */
const listExports = (program: ts.Program, path: string): ReadonlyArray<ts.Symbol> => {
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(path)
  const symbol = source === undefined ? undefined : checker.getSymbolAtLocation(source)
  if (symbol === undefined) throw new Error(`${path} is not a module.`)
  return checker
    .getExportsOfModule(symbol)
    .filter((one) => (resolve(checker, one).flags & ts.SymbolFlags.ValueModule) === 0)
    .toSorted((a, b) => a.name.localeCompare(b.name))
}

const isType = (symbol: ts.Symbol): boolean =>
  (symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Class)) !== 0

/** Returns the parameters of a generic type: `<A>`, or nothing. */
const parametersOf = (symbol: ts.Symbol): string => {
  const [declaration] = symbol.declarations ?? []
  const list =
    declaration !== undefined && (ts.isInterfaceDeclaration(declaration) || ts.isTypeAliasDeclaration(declaration))
      ? (declaration.typeParameters ?? [])
      : []
  return list.length === 0 ? "" : `<${list.map((one) => one.name.text).join(", ")}>`
}

/** Declares a class by what it adds to the class that it extends. */
const declareClass = (checker: ts.TypeChecker, printer: Printer.Printer, exported: ts.Symbol): string => {
  const symbol = resolve(checker, exported)
  const type = checker.getDeclaredTypeOfSymbol(symbol)
  const [base] = checker.getBaseTypes(type as ts.InterfaceType)
  const inherited = new Set(base === undefined ? [] : checker.getPropertiesOfType(base).map(({ name }) => name))
  const hasConstructor = symbol.members?.has(ts.InternalSymbolName.Constructor) === true
  const constructors = hasConstructor ? checker.getTypeOfSymbol(symbol).getConstructSignatures() : []
  const parent = base === undefined ? "" : ` extends ${base.symbol.name}`
  const lines = constructors.map((one) => `  constructor(${printer.parameters(one, "  ")})\n`).join("")
  const head = `${printer.documentation(symbol, "")}export declare class ${exported.name}${parent}`
  return `${head} {\n${lines}${printer.members(type, "", inherited)}}\n`
}

const declare = (checker: ts.TypeChecker, printer: Printer.Printer, exported: ts.Symbol): string => {
  const symbol = resolve(checker, exported)
  const { name } = exported
  const documentation = printer.documentation(symbol, "")
  if (symbol.flags & ts.SymbolFlags.Class) return declareClass(checker, printer, exported)
  if (symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias)) {
    const type = checker.getDeclaredTypeOfSymbol(symbol)
    const isRecord = type.isIntersection() || (type.flags & ts.TypeFlags.Object) !== 0
    const isCallable = type.getCallSignatures().length > 0
    const isPlain = isRecord && !isCallable && !checker.isArrayType(type)
    return isPlain
      ? `${documentation}export interface ${name}${parametersOf(symbol)} {\n${printer.members(type, "")}}\n`
      : `${documentation}export type ${name}${parametersOf(symbol)} = ${printer.type(type)}\n`
  }
  const type = checker.getTypeOfSymbol(symbol)
  const [call] = type.getCallSignatures()
  return call === undefined
    ? `${documentation}export declare const ${name}: ${printer.type(type)}\n`
    : `${documentation}export declare function ${name}${printer.signature(call, "", ": ")}\n`
}

const ids = new Map<object, number>()

const idOf = (value: object): number => {
  const id = ids.get(value) ?? ids.size
  ids.set(value, id)
  return id
}

/** Returns the same key for the same type. The compiler has several objects for one instance of a generic interface. */
const keyOf = (checker: ts.TypeChecker, type: ts.Type): string => {
  const isReference =
    (type.flags & ts.TypeFlags.Object) !== 0 && ((type as ts.ObjectType).objectFlags & ts.ObjectFlags.Reference) !== 0
  const { target } = type as ts.TypeReference
  if (!isReference || type === target || target.symbol === undefined) return String(idOf(type))
  const list = checker.getTypeArguments(type as ts.TypeReference).slice(0, target.typeParameters?.length ?? 0)
  return `${idOf(target)}<${list.map((one) => keyOf(checker, one)).join()}>`
}

/** Finds the names of what modules export, by type or, for generic types, by symbol. */
const collectNames = (checker: ts.TypeChecker, modules: ReadonlyArray<Module>) => {
  const types = new Map<string, Printer.Named>()
  const generics = new Map<ts.Symbol, Printer.Named>()
  for (const { exports, name: module } of modules) {
    for (const exported of exports) {
      const symbol = resolve(checker, exported)
      if (!isType(symbol)) continue
      const named = { name: exported.name, module }
      const type = checker.getDeclaredTypeOfSymbol(symbol)
      if (parametersOf(symbol) !== "") generics.set(symbol, generics.get(symbol) ?? named)
      // The type of an alias is that of its definition: it has a name unless it is a primitive type.
      else if ((type.flags & structured) !== 0)
        types.set(keyOf(checker, type), types.get(keyOf(checker, type)) ?? named)
    }
  }
  return { types, generics }
}

const structured = ts.TypeFlags.Object | ts.TypeFlags.Intersection | ts.TypeFlags.Union

/** Writes `<name>.d.ts` for each module `<name>.ts` of a directory. */
export const write = (input: {
  readonly source: string
  readonly modules: ReadonlyArray<string>
  readonly destination: string
}): void => {
  const pathOf = (name: string): string => Path.join(input.source, `${name}.ts`)
  const program = ts.createProgram(input.modules.map(pathOf), options)
  const checker = program.getTypeChecker()
  const modules = input.modules.map((name): Module => ({ name, exports: listExports(program, pathOf(name)) }))
  const { generics, types } = collectNames(checker, modules)
  const all = modules.flatMap(({ exports }) => exports.map(({ name }) => name))

  for (const { exports, name: module } of modules) {
    // While a type is declared, its name does not stand for it.
    let current: ts.Type | undefined
    const printer = Printer.make(checker, module, {
      find: (type) => (type === current ? undefined : types.get(keyOf(checker, type))),
      findGeneric: (symbol) => generics.get(symbol),
      current: () => current,
      all
    })
    const declarations = exports.flatMap((exported) => {
      const symbol = resolve(checker, exported)
      const type = isType(symbol) ? checker.getDeclaredTypeOfSymbol(symbol) : undefined
      const owner = type === undefined ? undefined : (types.get(keyOf(checker, type)) ?? generics.get(symbol))
      // Exported by an earlier module, which this one imports if it refers to the type.
      if (owner !== undefined && owner.module !== module) return []
      if (type !== undefined && owner !== undefined && owner.name !== exported.name) {
        return [`export type ${exported.name} = ${owner.name}\n`]
      }
      current = type
      return [declare(checker, printer, exported)]
    })
    current = undefined
    for (let more = printer.takeHoisted(); more.length > 0; more = printer.takeHoisted()) declarations.push(...more)
    const imports = [...printer.imports].map(
      ([from, list]) => `import type { ${[...list].toSorted().join(", ")} } from "./${from}.js"\n`
    )
    const path = Path.join(input.destination, `${module}.d.ts`)
    Fs.writeFileSync(path, [...imports, ...declarations, "export {}\n"].join("\n"))
  }
}
