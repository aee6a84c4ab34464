# cmake -DTEMPLATE=reports/template -DENTRY=charts.ts -DOUTPUT=charts.js -P bundle_script.cmake: a page's script with what it imports as one file.
# The network is needed only while node_modules is missing or older than the lock file.
find_program(NPM npm)
find_program(NODE NAMES node nodejs)
if(NOT NPM OR NOT NODE)
  message(FATAL_ERROR "node and npm are missing: the report's charts are bundled with them\n  apt-get install nodejs npm")
endif()

# Several build folders may share the one node_modules.
file(LOCK "${TEMPLATE}/.npm.lock" GUARD PROCESS TIMEOUT 600)
if(NOT EXISTS "${TEMPLATE}/node_modules/.package-lock.json" OR "${TEMPLATE}/package-lock.json" IS_NEWER_THAN "${TEMPLATE}/node_modules/.package-lock.json")
  execute_process(COMMAND "${NPM}" ci --ignore-scripts --no-audit --no-fund --loglevel=error
    WORKING_DIRECTORY "${TEMPLATE}" RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "npm ci failed in ${TEMPLATE}: ECharts and esbuild come from the npm registry, once")
  endif()
  file(TOUCH "${TEMPLATE}/node_modules/.package-lock.json")
endif()

execute_process(
  COMMAND "${NODE}" node_modules/esbuild/bin/esbuild "${ENTRY}" --bundle --minify --format=iife --target=es2020 --charset=utf8
    --legal-comments=eof --log-level=warning "--outfile=${OUTPUT}"
  WORKING_DIRECTORY "${TEMPLATE}" COMMAND_ERROR_IS_FATAL ANY)
