export default { ssr: { noExternal: true }, build: { target: "node22" } }
