
# pen_counted_test(name cases [full]): random cases, whose number ends the test's name: 10000, which is nightly if
# `full` gives a smaller number for --full. With sanitizers, which make each of them slow, and for another compiler:
# `cases`.
function(pen_counted_test name cases)
    if(PEN_OPEN_MPI AND NOT PEN_SANITIZE)
        set(cases ${ARGN} 10000)
    endif()
    pen_test_program(${name} unit/${name}.c)
    set(depth full)
    foreach(count ${cases})
        add_test(NAME ${name}.${count} COMMAND ${name} ${count})
        pen_test_properties(${name}.${count} 180)
        set_property(TEST ${name}.${count} PROPERTY LABELS ${depth})
        set(depth nightly)
    endforeach()
endfunction()
pen_counted_test(central_test 2500)
pen_counted_test(repartition_test 2500)
pen_counted_test(diffusive_test 300)
pen_counted_test(diffusive_gather_test 300 1000)
