# What `make install` puts where, besides the program itself.

file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.1)
install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_SOURCE_DIR}/docs/man/pario-options.7 DESTINATION ${CMAKE_INSTALL_MANDIR}/man7)

set(completions ${PROJECT_SOURCE_DIR}/docs/completions)
set(share ${CMAKE_INSTALL_DATADIR})
install(FILES ${completions}/pario.bash DESTINATION ${share}/bash-completion/completions
	RENAME pario OPTIONAL)
install(FILES ${completions}/_pario DESTINATION ${share}/zsh/site-functions OPTIONAL)
install(FILES ${completions}/pario.fish DESTINATION ${share}/fish/vendor_completions.d OPTIONAL)

install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/LICENSE
	DESTINATION ${share}/doc/pario OPTIONAL)
file(GLOB documents CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/*.md)
install(FILES ${documents} DESTINATION ${share}/doc/pario/docs)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${share}/doc/pario)
install(FILES ${PROJECT_SOURCE_DIR}/docs/journal.schema.json DESTINATION ${share}/pario OPTIONAL)
