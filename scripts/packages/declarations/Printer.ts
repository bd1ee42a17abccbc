/**
 * Prints types as declarations that refer to nothing but each other and to what the platform declares.
 */
import ts from "typescript-api"

/** A type that has a name in the declarations, and where it comes from. */
export interface Named {
  readonly name: string
  /** The module whose declarations contain the name. */
  readonly module: string
}

export interface Names {
  /** Returns the name of a type that a module exports. */
  readonly find: (type: ts.Type) => Named | undefined
  /** Returns the name of a generic type that a module exports. */
  readonly findGeneric: (symbol: ts.Symbol) => Named | undefined
  /** The type that is being declared under its own name. */
  readonly current: () => ts.Type | undefined
  /** All of these names. */
  readonly all: ReadonlyArray<string>
}

/** One module that is being printed. */
export interface Printer {
  readonly type: (type: ts.Type) => string
  readonly members: (type: ts.Type, indent: string, hidden?: ReadonlySet<string>) => string
  readonly parameters: (signature: ts.Signature, indent: string) => string
  readonly signature: (signature: ts.Signature, indent: string, arrow: ": " | " => ") => string
  readonly documentation: (symbol: ts.Symbol, indent: string) => string
  /** Returns the declarations of interfaces that the printed types refer to and that no module exports. */
  readonly takeHoisted: () => ReadonlyArray<string>
  /** The names of other modules that were used, by module. */
  readonly imports: ReadonlyMap<string, ReadonlySet<string>>
}

const isIdentifier = (name: string): boolean => /^[A-Za-z_$][\w$]*$/.test(name)

const isDeclaredIn = ({ declarations = [] }: ts.Symbol, path: RegExp): boolean =>
  declarations.some((declaration) => path.test(declaration.getSourceFile().fileName))

const isPlatform = (symbol: ts.Symbol): boolean =>
  isDeclaredIn(symbol, /\/node_modules\/(?:typescript|@types\/node|undici-types)\//)

/** Whether a declared name is worth keeping: `__type` and `__object` are the compiler's own. */
const isDeclaredInterface = (symbol: ts.Symbol | undefined): symbol is ts.Symbol =>
  symbol !== undefined && (symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class)) !== 0

/** Whether callers may assign to a member. All records and inputs are read-only; the fields of classes say so themselves. */
const isWritable = (property: ts.Symbol): boolean =>
  (property.flags & ts.SymbolFlags.Method) !== 0 ||
  property.declarations?.some(
    (one) => ts.isPropertyDeclaration(one) && !one.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ReadonlyKeyword)
  ) === true

export const make = (checker: ts.TypeChecker, module: string, names: Names): Printer => {
  const imports = new Map<string, Set<string>>()
  const hoisted = new Map<ts.Type, string>()
  const used = new Set<string>(names.all)
  let pending: Array<string> = []

  const documentation = (symbol: ts.Symbol, indent: string): string => {
    // The pages of another project are not about this one.
    if (isDeclaredIn(symbol, /\/node_modules\//)) return ""
    const text = ts.displayPartsToString(symbol.getDocumentationComment(checker))
    if (text === "") return ""
    const lines = text.split("\n")
    return lines.length === 1
      ? `${indent}/** ${text} */\n`
      : `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`
  }

  const parameters = (one: ts.Signature, indent: string): string => {
    const list = one.getParameters().flatMap((parameter) => {
      const [declaration] = parameter.declarations ?? []
      const type = checker.getTypeOfSymbol(parameter)
      const isParameter = declaration !== undefined && ts.isParameter(declaration)
      const isRest = isParameter && declaration.dotDotDotToken !== undefined
      // `Methods` declares the parameters of an operation as one tuple.
      if (isRest && checker.isTupleType(type)) return elements(type as ts.TupleTypeReference, indent)
      const isOptional = isParameter && checker.isOptionalParameter(declaration)
      // A pattern has no name.
      const name = isIdentifier(parameter.name) ? parameter.name : "input"
      return [`${isRest ? "..." : ""}${name}${isOptional ? "?" : ""}: ${print(type, indent)}`]
    })
    return list.join(", ")
  }

  /** Returns the elements of a tuple as parameters. */
  const elements = (type: ts.TupleTypeReference, indent: string): ReadonlyArray<string> => {
    const { elementFlags, labeledElementDeclarations: labels = [] } = type.target
    return checker.getTypeArguments(type).map((element, index) => {
      const label = labels[index]?.name
      const name = label !== undefined && ts.isIdentifier(label) ? label.text : `argument${index}`
      const isOptional = ((elementFlags[index] ?? 0) & ts.ElementFlags.Optional) !== 0
      return `${name}${isOptional ? "?" : ""}: ${print(element, indent)}`
    })
  }

  const signature = (one: ts.Signature, indent: string, arrow: ": " | " => "): string => {
    const generics = one.getTypeParameters()?.map(({ symbol }) => symbol.name) ?? []
    const list = generics.length === 0 ? "" : `<${generics.join(", ")}>`
    return `${list}(${parameters(one, indent)})${arrow}${print(one.getReturnType(), indent)}`
  }

  const members = (
    type: ts.Type,
    indent: string,
    hidden: ReadonlySet<string> = new Set(),
    hasIndexes = true
  ): string => {
    const inner = `${indent}  `
    const lines = checker.getPropertiesOfType(type).flatMap((property) => {
      if (hidden.has(property.name) || /^(?:#|__)/.test(property.name)) return []
      const propertyType = checker.getTypeOfSymbol(property)
      const name = isIdentifier(property.name) ? property.name : JSON.stringify(property.name)
      const optional = (property.flags & ts.SymbolFlags.Optional) === 0 ? "" : "?"
      const modifier = isWritable(property) ? "" : "readonly "
      const [call, ...others] = propertyType.getCallSignatures()
      const isMethod = (property.flags & ts.SymbolFlags.Method) !== 0 && call !== undefined && others.length === 0
      const value = isMethod ? signature(call, inner, ": ") : `: ${print(propertyType, inner)}`
      return [`${documentation(property, inner)}${inner}${modifier}${name}${optional}${value}`]
    })
    const indexes = (hasIndexes ? checker.getIndexInfosOfType(type) : []).map(
      (index) => `${inner}readonly [key: ${print(index.keyType, inner)}]: ${print(index.type, inner)}`
    )
    return [...indexes, ...lines].map((line) => `${line}\n`).join("")
  }

  const refer = ({ module: from, name }: Named): string => {
    if (from !== module) imports.set(from, (imports.get(from) ?? new Set()).add(name))
    return name
  }

  /** Declares a type once, under a name that no other type has, and returns the name. */
  const hoist = (type: ts.Type, symbol: ts.Symbol, declare: (name: string) => string): string => {
    const known = hoisted.get(type)
    if (known !== undefined) return known
    let name = symbol.name
    for (let count = 2; used.has(name); count++) name = `${symbol.name}${count}`
    used.add(name)
    hoisted.set(type, name)
    pending.push(documentation(symbol, "") + declare(name))
    return name
  }

  /** An interface of the platform that this one extends keeps its name; others are written out. */
  const hoistInterface = (type: ts.Type, symbol: ts.Symbol): string =>
    hoist(type, symbol, (name) => {
      const bases = (type.getBaseTypes() ?? []).filter((base) => base.symbol !== undefined && isPlatform(base.symbol))
      const inherited = bases.flatMap((base) => checker.getPropertiesOfType(base).map((one) => one.name))
      const parents = bases.map((base) => base.symbol.name + printArguments(base, ""))
      const clause = parents.length === 0 ? "" : ` extends ${parents.join(", ")}`
      const body = parents.length === 0 ? members(type, "") : members(type, "", new Set(inherited), false)
      return `interface ${name}${clause} {\n${body}}\n`
    })

  /** The alias of a type, unless it is generic: one that may refer to itself. */
  const aliasOf = (type: ts.Type): ts.Symbol | undefined =>
    type.aliasSymbol !== undefined && type.aliasTypeArguments === undefined && !isPlatform(type.aliasSymbol)
      ? type.aliasSymbol
      : undefined

  const printUnion = (types: ReadonlyArray<ts.Type>, indent: string): string => {
    const parts = types.map((one) => {
      const text = print(one, indent)
      return text.includes("=>") ? `(${text})` : text
    })
    const hasBoth = parts.includes("true") && parts.includes("false")
    const merged = hasBoth ? ["boolean", ...parts.filter((text) => text !== "true" && text !== "false")] : parts
    // `undefined` is read best at the end.
    const present = [...new Set(merged)].toSorted((a, b) => Number(a === "undefined") - Number(b === "undefined"))
    return present.join(" | ")
  }

  const printArguments = (type: ts.Type, indent: string): string => {
    const list = checker.getTypeArguments(type as ts.TypeReference)
    return list.length === 0 ? "" : `<${list.map((one) => print(one, indent)).join(", ")}>`
  }

  const printObject = (type: ts.Type, indent: string): string => {
    if (checker.isArrayType(type)) {
      const [element] = checker.getTypeArguments(type as ts.TypeReference)
      return `ReadonlyArray<${element === undefined ? "unknown" : print(element, indent)}>`
    }
    if (checker.isTupleType(type)) {
      const list = checker.getTypeArguments(type as ts.TypeReference)
      return `readonly [${list.map((one) => print(one, indent)).join(", ")}]`
    }
    const symbol = type.getSymbol()
    if (symbol !== undefined && isPlatform(symbol) && isDeclaredInterface(symbol)) {
      // Before TypeScript 5.7, this type had no parameter; this is its default.
      return symbol.name + printArguments(type, indent).replace(/^<ArrayBuffer \| SharedArrayBuffer>$/, "")
    }
    const calls = type.getCallSignatures()
    const [call] = calls
    if (call !== undefined && calls.length === 1 && checker.getPropertiesOfType(type).length === 0) {
      return signature(call, indent, " => ")
    }
    const generic = symbol === undefined ? undefined : names.findGeneric(symbol)
    if (generic !== undefined) return refer(generic) + printArguments(type, indent)
    if (isDeclaredInterface(symbol)) return hoistInterface(type, symbol)
    const text = members(type, indent)
    return text === "" ? "{}" : `{\n${text}${indent}}`
  }

  const print = (type: ts.Type, indent = ""): string => {
    const named = names.find(type)
    if (named !== undefined) return refer(named)
    const alias = aliasOf(type)
    const isStructure = type.isUnion() || (type.flags & ts.TypeFlags.Object) !== 0
    return alias === undefined || !isStructure || type === names.current()
      ? printStructure(type, indent)
      : hoist(type, alias, (name) => `type ${name} = ${printStructure(type, "")}\n`)
  }

  const printStructure = (type: ts.Type, indent: string): string => {
    if (type.flags & ts.TypeFlags.TypeParameter) return type.symbol.name
    if (type.isUnion()) return printUnion(type.types, indent)
    if (type.isIntersection()) {
      // Of a branded text, callers see the text.
      const primitive = type.types.find((one) => (one.flags & ts.TypeFlags.Object) === 0)
      if (primitive !== undefined) return print(primitive, indent)
    }
    if (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) return printObject(type, indent)
    return checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation)
  }

  return {
    type: (type) => print(type),
    members,
    parameters,
    signature,
    documentation,
    takeHoisted: () => {
      const taken = pending
      pending = []
      return taken
    },
    imports
  }
}
