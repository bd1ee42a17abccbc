/**
 * Replaces a service by one whose results are transformed, whichever methods it has.
 */

/**
 * Returns the service with each member transformed: the result of a method, and any other member itself. A member is wrapped
 * when it is first read.
 */
export const make = <S extends object>(service: S, transform: (result: unknown) => unknown): S => {
  const members = new Map<string | symbol, unknown>()
  const wrap = (member: unknown): unknown =>
    typeof member === "function"
      ? (...input: Array<unknown>) => transform(Reflect.apply(member, service, input))
      : transform(member)
  return new Proxy(service, {
    get: (target, name) => {
      if (!members.has(name)) members.set(name, wrap(Reflect.get(target, name)))
      return members.get(name)
    }
  })
}
