/**
 * Checks of problems, the bodies of all error answers (RFC 9457).
 */
import { expect } from "vitest"

export interface ProblemBody {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: string
  readonly requestId: string
  readonly errors?: ReadonlyArray<{ readonly pointer: string; readonly detail: string }>
  readonly existingId?: string
  readonly permission?: string
  readonly reason?: string
}

/** Returns the JSON body of an answer as the type that the test expects. */
export const json = async <A>(answer: Response): Promise<A> => (await answer.json()) as A

/** Expects that an answer is this problem with all required members and headers. Returns its body. */
export const expectProblem = async (answer: Response, status: number, code: string): Promise<ProblemBody> => {
  const body = await json<ProblemBody>(answer)
  expect({ status: answer.status, code: body.code }).toEqual({ status, code })
  expect(answer.headers.get("content-type")).toBe("application/problem+json")
  expect(answer.headers.get("referrer-policy")).toBe("no-referrer")
  expect(body).toMatchObject({
    type: `urn:holdfast:problem:${code}`,
    title: expect.stringMatching(/./),
    status,
    detail: expect.stringMatching(/./),
    requestId: answer.headers.get("x-request-id")
  })
  return body
}

/** Returns the pointers of an `invalid_request`, sorted. */
export const pointers = ({ errors = [] }: ProblemBody): ReadonlyArray<string> =>
  errors.map(({ pointer }) => pointer).toSorted()
