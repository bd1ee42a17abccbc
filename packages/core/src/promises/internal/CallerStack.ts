/**
 * The stack of the program that called a method. An error of a service is made in a later turn of the event loop, so that its own
 * stack has frames of the scheduler only.
 */

/** The frames of a caller. */
export interface CallerStack {
  /**
   * Returns the error with the caller's frames. An error of Holdfast is copied, because services share instances; it is printed as
   * other errors are, with its message and stack. Any other error also keeps its own frames.
   */
  readonly addTo: (error: unknown) => unknown
}

type Callee = (...parameters: never) => unknown

/** Returns an object whose stack begins with the caller of a function. V8 formats it when it is first read. */
const trace = (callee: Callee): { readonly stack?: string } => {
  if (!("captureStackTrace" in Error && typeof Error.captureStackTrace === "function")) return new Error()
  const captured = {}
  Error.captureStackTrace(captured, callee)
  return captured
}

/** Returns the lines of a stack that are frames. */
const framesOf = (stack: string | undefined): string => /^ {4}at [^]*/m.exec(stack ?? "")?.[0] ?? ""

const isOwn = (error: Error): boolean => "code" in error && "_tag" in error

const hidden = (value: unknown): PropertyDescriptor => ({ value, configurable: true, writable: true })

const copy = (error: Error, frames: string): unknown =>
  Object.create(Object.getPrototypeOf(error), {
    ...Object.getOwnPropertyDescriptors(error),
    message: hidden(error.message),
    stack: hidden(`${error.name}: ${error.message}\n${frames}`),
    // Node then prints the stack. Effect's own form, the fields, has neither the message nor the stack.
    [Symbol.for("nodejs.util.inspect.custom")]: hidden(undefined)
  })

/** Captures the frames of the caller of a function that runs now. It takes microseconds. */
export const capture = (callee: Callee): CallerStack => {
  const captured = trace(callee)
  return {
    addTo: (error) => {
      if (!(error instanceof Error)) return error
      const frames = framesOf(captured.stack)
      if (isOwn(error)) return copy(error, frames)
      if (Object.isExtensible(error)) error.stack = `${error.stack}\n${frames}`
      return error
    }
  }
}
