export default { build: { lib: { entry: "Browser.js", formats: ["es"], fileName: "page" } } }
